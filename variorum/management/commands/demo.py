"""Try Variorum: load the sample, start everything, print the sign-in links."""

from __future__ import annotations

from django.utils import timezone

from variorum import demo, signin
from variorum.management.commands import serve

LINK_DAYS = 7


class Command(serve.Command):
    help = "Load the sample studies and start the web server and a worker."

    def prepare(self) -> None:
        super().prepare()
        self.cast = demo.load(now=timezone.now(), say=self.stdout.write)

    def welcome(self, url: str) -> None:
        self.stdout.write("\nSign in with one click (the links work for seven days):\n")
        for role, user in self.cast._asdict().items():
            self.stdout.write(f"  {role:<12} {user.first_name:<5} {url}{signin.link(user, LINK_DAYS)}")
        self.stdout.write("")

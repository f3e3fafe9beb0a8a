"""Try Variorum: load the sample, start everything, print the sign-in links."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import Any

from django.utils import timezone

from common.console import in_one_sentence
from variorum.accounts import links
from variorum.demo import load, machine
from variorum.management.commands import serve
from variorum.models import LinkKind

AGAIN = "they may be used again and again on this machine, for seven days, while the demonstration runs"
ONCE = "each works once, during seven days, since other machines may reach this site"


class Command(serve.Command):
    help = "Load the sample studies and start the web server and a worker."

    def handle(self, *args: Any, **options: Any) -> None:
        self.kind = LinkKind.DEMO if is_loopback(options["host"]) else LinkKind.SIGN_IN
        # Only the children of this command are told: with the same data `serve` takes no such link.
        os.environ.update(VARIORUM_DEMO="1" if self.kind == LinkKind.DEMO else "0")
        # The script that reads in a model’s place; whoever describes models of their own has those instead.
        os.environ.setdefault("VARIORUM_MODELS", machine.DESCRIBED)
        super().handle(*args, **options)

    def prepare(self) -> None:
        super().prepare()
        with in_one_sentence():
            self.cast = load.load(now=timezone.now(), say=self.stdout.write)

    def welcome(self, url: str) -> None:
        self.stdout.write("\nEach link opens a page with a button that signs in")
        self.stdout.write(f"({AGAIN if self.kind == LinkKind.DEMO else ONCE}):\n")
        for role, user in self.cast._asdict().items():
            self.stdout.write(f"  {role:<12} {user.first_name:<5} {url}{links.make(user, self.kind)}")
        self.stdout.write("")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach that address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""Let an account be used again, by a new sign-in link."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.console import named_user
from variorum import signin
from variorum.accounts import enable


class Command(BaseCommand):
    help = "Let a disabled account be used again and print a new sign-in link. Old ones stay dead."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--days", type=int, default=7, help="how long the link works (1 to 90)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= 90:
            raise CommandError(f"--days {options['days']}: use 1 to 90.")
        user = named_user(options["username"])
        if user is None or user.is_active:
            raise CommandError(f"{options['username']} is not disabled.")
        enable(user)
        self.stdout.write(f"{user.username} may sign in again during {options['days']} days at:")
        self.stdout.write(signin.link(user, options["days"]))
        self.stderr.write("Put the address of the site in front.")

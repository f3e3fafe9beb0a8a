"""End an account at once: sessions, sign-in links, keys for scripts and the password."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.console import named_user
from variorum.accounts.activation import disable


class Command(BaseCommand):
    help = "Let nobody use an account any more, from the next request on. What was done with it stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = named_user(options["username"])
        if user is None or not user.is_active:
            raise CommandError(f"{options['username']} is disabled already.")
        disable(user)
        self.stdout.write(f"{user.username} is disabled: every session, link and key has ended.")

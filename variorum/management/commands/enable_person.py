"""Let an account be used again, by a new sign-in link."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.console import named_user
from common import addresses
from variorum.accounts import links
from variorum.accounts.activation import enable
from variorum.models import LinkKind


class Command(BaseCommand):
    help = "Let a disabled account be used again and print a new sign-in link. Old ones stay dead."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--days", type=int, help="how long the link works, if nobody uses it (1 to 7; default 7)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days = links.checked_days(options["days"])
        user = named_user(options["username"])
        if user is None or user.is_active:
            raise CommandError(f"{options['username']} is not disabled.")
        enable(user)
        self.stdout.write(f"{user.username} may sign in again, once, during {days.days} days, at:")
        self.stdout.write(addresses.whole(links.make(user, LinkKind.SIGN_IN, lasts=days)))
        if not settings.SITE:
            self.stderr.write(addresses.IN_FRONT)

"""Make an account and print a link to it, so that no password is ever chosen for anybody.

The link signs in once; who has no password yet is then asked to choose one. `--new-password` prints a link of
the other kind, for whoever forgot theirs.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.people.enrolments import make_researcher
from common import addresses
from variorum.accounts import links
from variorum.models import LinkKind

ROLES = ("annotator", "researcher", "staff")


class Command(BaseCommand):
    help = "Make an account, or give an existing one a role, and print a link that signs in once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=ROLES, help="of a new account: annotator")
        parser.add_argument("--name", default="", help="how pages address the person")
        parser.add_argument(
            "--days", type=int, help="how long the sign-in link works, if nobody uses it (1 to 7; default 7)"
        )
        parser.add_argument(
            "--new-password",
            action="store_true",
            help="print a link for a new password instead: it works for an hour, without the old password",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["new_password"] and options["days"] is not None:
            raise CommandError("A link for a new password works for an hour: leave --days out.")
        days = links.checked_days(options["days"])
        with transaction.atomic():
            user, made = account(options["username"], options["name"])
            if options["role"] == "staff":
                user.is_staff = True
                user.save(update_fields=["is_staff"])
            elif options["role"] == "researcher":
                make_researcher(user)
        role = options["role"] or ("annotator" if made else "")
        known = f"{user.username} is {role}" if role else f"{user.username} stays as before"
        if options["new_password"]:
            self.stdout.write(f"{known}. Choose a new password within an hour at:")
            self.stdout.write(addresses.whole(links.make(user, LinkKind.PASSWORD)))
        else:
            self.stdout.write(f"{known}. Sign in once, during {days.days} days, at:")
            self.stdout.write(addresses.whole(links.make(user, LinkKind.SIGN_IN, lasts=days)))
        if not settings.SITE:
            self.stderr.write(addresses.IN_FRONT)


def account(username: str, name: str) -> tuple[User, bool]:
    """Return the account of that name, and whether it was made now, without a password."""
    user = User.objects.filter(username=username).first()
    if user is not None:
        return user, False
    user = User(username=username, first_name=name or username.capitalize())
    user.set_unusable_password()
    try:
        user.full_clean(exclude=["password"])
    except ValidationError as error:
        raise CommandError(f"username {username!r}: {error.messages[0]}") from error
    user.save()
    return user, True

"""Make an account and print a link that signs in, so that no password is ever chosen for anybody."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.people import make_researcher
from variorum import signin

ROLES = ("annotator", "researcher", "staff")


class Command(BaseCommand):
    help = "Make an account, or give an existing one a role, and print a one-click sign-in link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=ROLES, help="of a new account: annotator")
        parser.add_argument("--name", default="", help="how pages address the person")
        parser.add_argument("--days", type=int, default=7, help="how long the link works (1 to 90)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= 90:
            raise CommandError(f"--days {options['days']}: use 1 to 90.")
        with transaction.atomic():
            user, made = account(options["username"], options["name"])
            if options["role"] == "staff":
                user.is_staff = True
                user.save(update_fields=["is_staff"])
            elif options["role"] == "researcher":
                make_researcher(user)
        role = options["role"] or ("annotator" if made else "")
        known = f"{user.username} is {role}" if role else f"{user.username} stays as before"
        self.stdout.write(f"{known}. Sign in during {options['days']} days at:")
        self.stdout.write(signin.link(user, options["days"]))
        self.stderr.write("Put the address of the site in front.")


def account(username: str, name: str) -> tuple[User, bool]:
    """The account of that name, and whether it was made, without a password, because there was none."""
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

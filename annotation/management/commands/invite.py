"""`manage.py invite S [--seats 3] [--days 14]`: prints an invitation link."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.console import in_one_sentence, named_study
from annotation.models import Role
from annotation.people import enrolments
from common import addresses, wording


class Command(BaseCommand):
    help = "Make an invitation to a study and print its link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument("--seats", type=int, default=3, help="how many people may use it (default 3)")
        parser.add_argument("--days", type=int, default=14, help="how long it lasts (default 14)")
        parser.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR.value)

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        with in_one_sentence():
            invitation = enrolments.invite(
                study, role=options["role"], seats=options["seats"], days=options["days"], by=None
            )
        people = "1 person" if invitation.seats == 1 else f"{invitation.seats} people"
        self.stdout.write(addresses.whole(enrolments.address(enrolments.link(invitation))))
        front = "" if settings.SITE else f" {addresses.IN_FRONT}"
        self.stderr.write(f"For {people}, until {wording.day_and_time(invitation.expires)}.{front}")

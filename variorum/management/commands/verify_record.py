"""`manage.py verify_record`: check every sealed row of the record against what is stored."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from annotation.models import Seal
from annotation.record import checking, sealing
from common import console
from common.wording import counted


class Command(BaseCommand):
    help = (
        "Seal what is new in the record of judgments, decisions and events, and check that every row sealed "
        "before is as it was. Ends with 1 where one was changed, slipped in or taken out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--head", help="digest that the last seal, or an earlier one, must have")
        parser.add_argument("--only-check", action="store_true", help="seal nothing new")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["only_check"]:
            self.seal()
        total = Seal.objects.count()
        with console.bar() as progress:
            found = checking.check(lambda seals: progress(seals, total, "Checking the record"))
        self.stdout.write(
            f"{counted(found.seals, 'seal')} of {counted(found.rows, 'row')}; "
            f"{counted(found.erased, 'row')} erased, as the record says; {found.unsealed:,} not sealed yet."
        )
        self.stdout.write(f"Head: {found.head}")
        wanted = options["head"]
        faults = list(found.faults)
        if wanted and wanted != sealing.NOTHING and not Seal.objects.filter(digest=wanted).exists():
            faults.append(
                f"No seal has the digest {wanted}: the chain was made anew, or this is another record."
            )
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("Everything that was sealed is as it was.")

    def seal(self) -> None:
        """Seal what is new; where people write all the time, what is new stays for the next time."""
        try:
            sealing.seal()
        except OperationalError as error:
            self.stderr.write(f"Nothing new was sealed, since others write all the time: {error}")

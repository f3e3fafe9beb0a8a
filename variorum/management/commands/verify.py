"""`manage.py verify [FILE]`: check the record against its seals, or a whole backup."""

from __future__ import annotations

from pathlib import Path
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
        "before is as it was; with FILE, check a backup instead. Ends with 1 where something is wrong."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="a backup; without one, the record here")
        parser.add_argument("--head", help="digest that the last seal, or an earlier one, must have")
        parser.add_argument("--only-check", action="store_true", help="seal nothing new")

    def handle(self, *args: Any, **options: Any) -> None:
        with console.in_one_sentence():
            found, heads = self.backup(options["file"]) if options["file"] else self.here(options)
        self.tell(found)
        faults, wanted = list(found.faults), options["head"]
        if wanted and wanted not in heads:
            faults.append(
                f"No seal has the digest {wanted}: the chain was made anew, or this is another record."
            )
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("Everything that was sealed is as it was.")

    def here(self, options: dict[str, Any]) -> tuple[checking.Checked, set[str]]:
        """Check the record in the database."""
        if not options["only_check"]:
            self.seal()
        total = Seal.objects.count()
        with console.bar() as progress:
            found = checking.check(progress=lambda at: progress(at, total, "Checking the record"))
        return found, {sealing.NOTHING, *Seal.objects.values_list("digest", flat=True)}

    def backup(self, path: Path) -> tuple[checking.Checked, set[str]]:
        """Check a backup: each part, each table, and the record in it."""
        from variorum.backup import reading

        with reading.opened(path) as backup, console.bar() as progress:
            found = reading.check(backup, progress)
            heads = {sealing.NOTHING, *(seal.digest for seal in reading.InBackup(backup).seals())}
        told = backup.manifest
        self.stdout.write(
            f"{path.name}: taken {told.taken} by Variorum {told.version} from {told.database}; "
            f"{counted(sum(told.rows.values()), 'row')} of {counted(len(told.rows), 'table')}, "
            f"{counted(len(told.parts), 'part')}, each as the manifest says; keys: {told.keys}."
        )
        for sentence in told.missing:
            self.stdout.write(f"Not in it: {sentence}")
        return found, heads

    def tell(self, found: checking.Checked) -> None:
        """Print what was counted."""
        self.stdout.write(
            f"{counted(found.seals, 'seal')} of {counted(found.rows, 'row')}; "
            f"{counted(found.erased, 'row')} erased, as the record says; {found.unsealed:,} not sealed yet."
        )
        self.stdout.write(f"Head: {found.head}")

    def seal(self) -> None:
        """Seal what is new; where people write all the time, what is new stays for the next time."""
        try:
            sealing.seal()
        except OperationalError as error:
            self.stderr.write(f"Nothing new was sealed, since others write all the time: {error}")

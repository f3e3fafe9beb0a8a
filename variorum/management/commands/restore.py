"""`manage.py restore FILE`: a backup into an empty place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common import console
from common.wording import counted
from variorum.backup import reading, restoring
from variorum.management.commands.backup import passphrase


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database and data directory; it is checked as a whole first. Nothing "
        "that is there is overwritten. An older backup is brought to this version."
    )
    # The tables are made here, at the time of the backup.
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument(
            "--with-keys", action="store_true", help="with the keys that were encrypted into it"
        )
        parser.add_argument("--passphrase-file", type=Path, help="file whose first line is the passphrase")

    def handle(self, *args: Any, **options: Any) -> None:
        with (
            console.in_one_sentence(),
            reading.opened(options["file"]) as backup,
            console.bar() as progress,
        ):
            found = reading.check(backup, progress)
            if found.faults:
                raise CommandError("\n".join(("Nothing was restored.", *found.faults)))
            secret = passphrase(options["passphrase_file"]) if options["with_keys"] else None
            restoring.restore(backup, passphrase=secret, progress=progress)
        told = backup.manifest
        self.stdout.write(
            f"Restored {counted(sum(told.rows.values()), 'row')} as of {told.taken}. "
            f"Head of the record: {told.head}"
        )
        if told.keys == "encrypted" and secret is None:
            self.stdout.write("Its keys were not restored (--with-keys): without them all sign-ins end.")
        self.stdout.write("Now: python manage.py verify, python manage.py doctor.")

"""`manage.py backup FILE`: the whole installation in one file, taken while people work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common import console
from common.wording import counted
from variorum.backup import writing


class Command(BaseCommand):
    help = (
        "Write all tables as of one instant, checkpoints, words and uploads into one file. Nobody has to "
        "stop working. Keys are left out, or encrypted with --with-keys."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the backup, which must not be there yet")
        parser.add_argument(
            "--with-keys",
            action="store_true",
            help="with the keys of this site, encrypted",
        )
        parser.add_argument("--passphrase-file", type=Path, help="file whose first line is the passphrase")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["passphrase_file"] and not options["with_keys"]:
            raise CommandError("--passphrase-file is for --with-keys: without keys nothing is encrypted.")
        with console.in_one_sentence():
            secret = passphrase(options["passphrase_file"]) if options["with_keys"] else None
            with console.bar() as progress:
                told = writing.write(options["file"], passphrase=secret, progress=progress)
        for sentence in told.missing:
            self.stderr.write(f"Not in it: {sentence}")
        self.stdout.write(
            f"{options['file']}: {counted(sum(told.rows.values()), 'row')}, "
            f"{counted(len(told.parts), 'part')}, as of {told.taken}; keys: {told.keys}."
        )
        self.stdout.write(f"Head of the record: {told.head}")
        self.stdout.write(f"Check it where it is kept: python manage.py verify {options['file'].name}")


def passphrase(file: Path | None) -> str:
    """Return the passphrase: the first line of a file, or typed. Raises `CommandError`."""
    if file is None:
        from getpass import getpass

        return getpass("Passphrase for the keys: ")
    lines = console.text(str(file)).splitlines()
    return lines[0] if lines else ""

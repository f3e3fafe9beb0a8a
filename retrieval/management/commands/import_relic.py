"""`manage.py import_relic FILE.json`: books and quotes in RELiC's published format."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence, read
from common.wording import counted
from retrieval.loading import import_relic


class Command(BaseCommand):
    help = "Import a file in RELiC's format, all of its books or none. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--author", default="", help="of every book in the file (the format names none)")

    def handle(self, *args: Any, **options: Any) -> None:
        data, name = read(options["file"])
        with in_one_sentence(), bar() as progress:
            imported = import_relic(data, name=name, author=options["author"], progress=progress)
        for one in imported:
            self.stdout.write(
                f'{"Imported" if one.created else "Known"}: "{one.book.slug}" ({one.book}), '
                f"{counted(one.book.n_sentences, 'sentence')}; "
                f"{counted(one.new, 'quote')} new, {one.known:,} already known."
            )
            for remark in one.remarks:
                self.stdout.write(f"  {remark}")

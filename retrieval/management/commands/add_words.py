"""`manage.py add_words vectors FILE --name latin`: what rankers may know of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common import console
from common.wording import counted
from retrieval.engine.words import kinds
from retrieval.words import tables


class Command(BaseCommand):
    help = "Keep word vectors, lemmas, synonyms or a stop list under a name, for rankers of words."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=kinds.KINDS, help="what the file holds (docs/similarity.md)")
        parser.add_argument("file", type=Path, help="text, UTF-8, plain or gzip")
        parser.add_argument("--name", required=True, help="what jobs call it")
        parser.add_argument("--source", default="", help="where the file is from")
        parser.add_argument("--licence", default="", help="under which it may be used")

    def handle(self, *args: Any, **options: Any) -> None:
        kind = kinds.KINDS[options["kind"]]
        with console.in_one_sentence(), console.bar() as progress:
            row, new = tables.add(
                options["file"],
                kind,
                options["name"],
                source=options["source"],
                licence=options["licence"],
                progress=progress,
            )
        wide = f" of {row.width} numbers" if row.width else ""
        self.stdout.write(
            f"{'Added' if new else 'Known already'}: {row}, {counted(row.n_words, 'word')}{wide}, sha256 "
            f"{row.sha256}."
        )
        for remark in row.remarks:
            self.stdout.write(remark)

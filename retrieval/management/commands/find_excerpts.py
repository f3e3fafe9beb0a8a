"""`manage.py find_excerpts --book B --source S`: where a critic quotes a book."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence, table
from common.wording import counted
from retrieval.curating.exclusions import LABELS
from retrieval.loading import find_excerpts
from retrieval.management.named import named
from retrieval.models import Book, Source


class Command(BaseCommand):
    help = "Find where a source quotes a book. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--book", required=True, help="slug of the book")
        parser.add_argument("--source", required=True, help="slug of the source")

    def handle(self, *args: Any, **options: Any) -> None:
        book, source = named(Book, options["book"]), named(Source, options["source"])
        with in_one_sentence(), bar() as progress:
            found = find_excerpts(book, source, progress)
        self.stdout.write(f"Found {counted(found.new + found.known, 'quotation')} of {book} in {source}.")
        self.stdout.write(table({"new": found.new, "already known": found.known}))
        if found.set_aside:
            self.stdout.write(f"Of the known ones, rejected by staff: {found.set_aside:,}.")
        if found.dropped:
            self.stdout.write(f"Dropped {found.dropped.total():,}.")
            self.stdout.write(table({LABELS[why]: number for why, number in found.dropped.most_common()}))

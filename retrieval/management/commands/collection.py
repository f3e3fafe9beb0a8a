"""`manage.py collection [--format …]`: what the collection holds."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.models import Book
from retrieval.texts.collection import collection
from retrieval.texts.collection_formats import FORMATS


class Command(BaseCommand):
    help = "Print the collection's numbers: books, sources, excerpts, lengths, places quoted more than once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--book", action="append", default=[], help="slug of a book; may be repeated")
        parser.add_argument("--format", choices=FORMATS, default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        books = Book.objects.filter(slug__in=options["book"]) if options["book"] else None
        unknown = set(options["book"]) - set(Book.objects.values_list("slug", flat=True))
        if unknown:
            raise CommandError(f"There is no book {min(unknown)!a}.")
        self.stdout.write(FORMATS[options["format"]].render(collection(books)), ending="")

"""`manage.py import_book FILE --slug S --title T --author A --year Y`: a novel."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence, read
from common.wording import counted
from retrieval.curating import aside
from retrieval.engine.formats.detect import READ
from retrieval.loading import import_book
from retrieval.loading.books import LEAST_WORDS
from retrieval.management.reading import add_encoding


class Command(BaseCommand):
    help = f"Import a book: {READ}. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--slug", required=True, help="its name in addresses: letters, digits, - and _")
        parser.add_argument("--title", required=True)
        parser.add_argument("--author", required=True)
        parser.add_argument("--year", required=True, type=int, help="year of first publication")
        parser.add_argument("--language", default="en", help="tag such as en or fr (default: en)")
        parser.add_argument("--licence", default="", help="under which the text may be used")
        add_encoding(parser)
        parser.add_argument(
            "--notes",
            choices=("aside", "candidates"),
            default="aside",
            help="whether the author's footnotes are set aside, or sentences that can be candidates",
        )
        parser.add_argument(
            "--short", action="store_true", help=f"let a text of fewer than {LEAST_WORDS:,} words pass"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        fields = ("slug", "title", "author", "year", "language", "licence")
        data, name = read(options["file"])
        with in_one_sentence(), bar() as progress:
            book, created, remarks = import_book(
                data,
                name=name,
                progress=progress,
                encoding=options["encoding"],
                notes=options["notes"] == "candidates",
                least_words=0 if options["short"] else LEAST_WORDS,
                **{field: options[field] for field in fields},
            )
        if created:
            self.stdout.write(
                f'Imported "{book.slug}" ({book}): {counted(book.n_sentences, "sentence")}, '
                f"{counted(len(book.headings), 'heading')}, "
                f"{counted(len(book.left_out), 'other part')} set aside."
            )
            remarks = (*remarks, *aside.in_lines(aside.set_aside(book)))
        for remark in remarks:
            self.stdout.write(remark)

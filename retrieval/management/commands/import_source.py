"""`manage.py import_source FILE --slug S --citation "Helm 1909"`: a critic's text."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence, read
from retrieval.engine.formats.detect import READ
from retrieval.loading import import_source
from retrieval.management.reading import add_encoding


class Command(BaseCommand):
    help = f"Import a critic's book or article: {READ}. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--slug", required=True, help="its name in addresses: letters, digits, - and _")
        parser.add_argument("--citation", required=True, help='as in a footnote, e.g. "Helm 1909"')
        parser.add_argument("--language", default="en", help="tag such as en or fr (default: en)")
        add_encoding(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        data, name = read(options["file"])
        with in_one_sentence(), bar() as progress:
            source, created, remarks = import_source(
                data,
                name=name,
                slug=options["slug"],
                citation=options["citation"],
                language=options["language"],
                encoding=options["encoding"],
                progress=progress,
            )
        if created:
            self.stdout.write(f'Imported "{source.slug}" ({source}): {len(source.text):,} characters.')
        for remark in remarks:
            self.stdout.write(remark)

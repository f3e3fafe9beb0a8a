"""`manage.py import_references STUDY --verses TABLE --references FILE`: verse pairs as span items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.items.references import reading, verses
from annotation.management import loading_items
from annotation.management.console import in_one_sentence
from annotation.studies.build import load_items
from common.console import read, text

MOST_CONTEXT = 20


class Command(BaseCommand):
    help = "Load references between verses as span items; records that cannot be joined are counted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        parser.add_argument("--verses", metavar="TABLE", required=True, help="verses as .tsv or .tsv.gz")
        parser.add_argument("--references", metavar="FILE", required=True, help="records as JSON")
        parser.add_argument(
            "--stop-words", metavar="FILE", help="lemmas that are never an anchor, one a line"
        )
        parser.add_argument("--context", type=int, default=1, help="verses before and after (default 1)")
        parser.add_argument("--language", default="la", help="of the verses (default la)")
        parser.add_argument(
            "--trust-flags",
            action="store_true",
            help="join unflagged records that name a Psalm with a heading, whose verses may be off by one",
        )
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["context"] <= MOST_CONTEXT:
            raise CommandError(f"--context {options['context']}: use 0 to {MOST_CONTEXT} verses.")
        (table, in_table), (records, in_records) = read(options["verses"]), read(options["references"])
        name = Path(in_records).name
        about, words = loading_items.study_options(options), text(options["stop_words"]).split()
        with in_one_sentence():
            collection = verses.read(table, Path(in_table).name)
            found = reading.read(
                records,
                name,
                collection,
                language=options["language"],
                stop=frozenset(words),
                context=options["context"],
                trust=options["trust_flags"],
            )
            loaded = load_items(options["study"], "span", found.entries, source=name, **about)
        self.stdout.write(loading_items.summary(loaded))
        items = len(found.entries)
        self.stdout.write(f"  with an anchor: {found.anchored:,}; without: {items - found.anchored:,}")
        for reason, number in found.refused.most_common():
            self.stdout.write(f"  refused, {reason}: {number:,}")
        refused = found.refused.total()
        self.stdout.write(f"  {items + refused:,} records: {items:,} items, {refused:,} refused")

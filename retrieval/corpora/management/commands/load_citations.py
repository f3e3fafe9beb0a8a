"""`manage.py load_citations [FILE] --corpus C`: which documents of a corpus cite which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from common.wording import counted
from retrieval.corpora.loading import citations
from retrieval.corpora.runs import naming


class Command(BaseCommand):
    help = (
        "Store which documents of a corpus cite which, for one-hop: from a file of JSON lines, or from the "
        "lines that the documents were loaded from. What was known before is replaced."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", nargs="?", help="JSON lines with id and a list of ids (default: as loaded)"
        )
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument(
            "--field", default="", help=f"name of the list (default: {' or '.join(citations.NAMES)})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["file"]) if options["file"] else None
        with in_one_sentence():
            found = citations.load(naming.corpus(options["corpus"]), path, options["field"])
        self.stdout.write(
            f"Known: {counted(found.stored, 'citation')} by {counted(found.citing, 'document')}; "
            f"{found.elsewhere:,} more are of documents that the corpus does not have."
        )

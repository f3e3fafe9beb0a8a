"""`manage.py write_questions FILE --corpus C --slug S --endpoint E`: questions from what paragraphs cite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from retrieval.corpora.management.models import add_model, ask
from retrieval.corpora.models import Standing
from retrieval.corpora.runs import naming
from retrieval.engine.questions.checking import MOST_OVERLAP
from retrieval.management.following import follow
from retrieval.questions import sets, writing


class Command(BaseCommand):
    help = (
        "Have a model write a question for each citation mark of a file of paragraphs, and refuse those that "
        "give their target away. Run again, it goes on with those that wait."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="JSON lines of paragraphs with marks (docs/questions.md)")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--slug", required=True, help="of the set: letters, digits, - and _")
        parser.add_argument("--title", default="", help="default: the slug")
        parser.add_argument(
            "--most-overlap",
            type=float,
            default=MOST_OVERLAP,
            metavar="SHARE",
            help=f"refuse questions of which more words stand in a target's title (default: {MOST_OVERLAP})",
        )
        add_model(parser)
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        facts = {
            "slug": options["slug"],
            "title": options["title"] or options["slug"],
            "origin": "inline",
            "most_overlap": options["most_overlap"],
        }
        with in_one_sentence():
            found = sets.begin(Path(options["file"]), naming.corpus(options["corpus"]), facts)
            ask(
                self,
                options,
                lambda: writing.expected(found, options["endpoint"]),
                lambda limits: [writing.submit(found, options["endpoint"], limits, options["seed"])],
                follow,
            )
        for standing in Standing:
            if n := found.questions.filter(standing=standing).count():
                self.stdout.write(f"  {standing.label}: {n:,}")

"""`manage.py import_reference_topics FILE --corpus C --slug T --name Q`: verse pairs as topics and qrels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from common.wording import counted
from retrieval.corpora.loading import topics
from retrieval.corpora.runs import naming, of_references
from retrieval.engine.interchange.references import HEADING, NUMBERING


class Command(BaseCommand):
    help = (
        "Make topics and judgments of references between verses: the source is searched for, the target is "
        "right. Records that cannot be joined with their verses are counted. Running it again adds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="records as JSON: source, target, flags, ref_type")
        parser.add_argument(
            "--corpus", required=True, metavar="SLUG", help="the verses that are searched for"
        )
        parser.add_argument("--sources", metavar="SLUG", help="the corpus of the sources (default: the same)")
        parser.add_argument("--slug", required=True, help="of the topics: letters, digits, - and _")
        parser.add_argument("--title", default="", help="default: the slug")
        parser.add_argument("--source", default="", help="where the references come from")
        parser.add_argument("--language", default="", help="of the topics (default: that of the sources)")
        parser.add_argument("--name", default="", help="of the judgments (default: the slug)")
        parser.add_argument(
            "--accept",
            nargs="+",
            default=[],
            metavar="REASON",
            help=f"do not refuse a record for this, such as {HEADING} or {NUMBERING}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        facts = {name: options[name] for name in topics.FACTS} | {
            "title": options["title"] or options["slug"]
        }
        with in_one_sentence():
            corpus = naming.corpus(options["corpus"])
            sources = naming.corpus(options["sources"] or options["corpus"])
            asked = of_references.Asked(
                corpus,
                sources,
                facts,
                options["name"] or options["slug"],
                options["language"] or sources.language,
                frozenset(options["accept"]),
            )
            made = of_references.load(Path(options["file"]), asked)
        self._say(made)

    def _say(self, made: of_references.Made) -> None:
        members, grades = made.topics.members.count(), made.qrels.grades.count()
        self.stdout.write(
            f'{"Made" if made.created else "Known"}: "{made.topics.slug}", {counted(members, "topic")}, and '
            f'"{made.qrels.name}", {counted(grades, "judgment")}.'
        )
        for reason, number in made.refused.most_common():
            self.stdout.write(f"  refused, {reason}: {number:,}")
        refused = made.refused.total()
        self.stdout.write(
            f"  {made.joined + refused:,} records: {made.joined:,} of {counted(members, 'source')}, "
            f"{refused:,} refused"
        )

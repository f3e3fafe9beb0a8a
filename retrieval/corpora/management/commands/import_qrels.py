"""`manage.py import_qrels FILE --corpus C --topics T --name N`: judgments made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from common.wording import counted
from retrieval.corpora.management.asking import add_corpus_and_topics
from retrieval.corpora.runs import files, naming


class Command(BaseCommand):
    help = "Load relevance judgments, all of a file or nothing. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", help="TREC's four columns, a table with a head, .jsonl, or a BEIR folder; .gz is unpacked"
        )
        add_corpus_and_topics(parser)
        parser.add_argument("--name", required=True)
        parser.add_argument("--source", default="", help="who judged, and by which rule")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            qrels, created = files.load_qrels(
                Path(options["file"]), corpus, topics, options["name"], options["source"]
            )
        topics_judged = qrels.grades.values("topic").distinct().count()
        judged = f"{counted(qrels.grades.count(), 'judgment')} of {counted(topics_judged, 'topic')}"
        self.stdout.write(f'{"Loaded" if created else "Known"}: "{qrels.name}", {judged}.')

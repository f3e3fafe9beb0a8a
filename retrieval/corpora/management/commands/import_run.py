"""`manage.py import_run FILE --corpus C --topics T`: a run in TREC's six columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.management.asking import add_corpus_and_topics
from retrieval.corpora.runs import files, naming


class Command(BaseCommand):
    help = "Load a run of another system, all of it or nothing. Running it again adds nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="topic Q0 document rank score tag; .gz is unpacked")
        add_corpus_and_topics(parser)
        parser.add_argument("--name", default="", help="default: the tag of its first line")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence(), bar() as progress:
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            run, created = files.load_run(
                Path(options["file"]), corpus, topics, options["name"], progress=progress
            )
        self.stdout.write(
            f'{"Loaded" if created else "Known"}: "{run.name}", {counted(run.rows.count(), "row")}, '
            f"at most {counted(run.depth, 'document')} a topic."
        )
        for note in run.notes:
            self.stdout.write(f"  {note}")

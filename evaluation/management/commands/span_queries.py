"""`manage.py span_queries STUDY --corpus C --name TOPICS`: what readers marked, as queries with judgments."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from common.console import in_one_sentence
from common.wording import counted
from evaluation.allusion.queries import sentences
from evaluation.allusion.queries.making import WINDOWS
from evaluation.allusion.queries.storing import store
from evaluation.management.commands.report import find
from retrieval.corpora.runs import naming


class Command(BaseCommand):
    help = (
        "Make topics of the spans that readers marked, one an item in several wordings, and judgments of "
        "what its references point into. Running it again on the same readings adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the slug of a study of the task span or spans")
        parser.add_argument("--corpus", required=True, metavar="SLUG", help="what the references point into")
        parser.add_argument("--name", required=True, metavar="TOPICS", help="of the topics and the judgments")
        parser.add_argument(
            "--window",
            type=int,
            action="append",
            metavar="W",
            help="a wording of W words to each side of the anchor; may be given again (default: 3, 10)",
        )
        parser.add_argument(
            "--unread",
            action="store_true",
            help="items that nobody has read too: their whole source is then the query",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        windows = tuple(dict.fromkeys(options["window"] or WINDOWS))
        with in_one_sentence():
            found = store(
                find(options["study"]),
                naming.corpus(options["corpus"]),
                options["name"],
                windows,
                unread=options["unread"],
            )
        pairs = counted(sum(len(each.targets) for each in found.made.queries), "judgment")
        self.stdout.write(
            f'{"Stored" if found.created else "Known"}: "{found.topics.slug}", '
            f"{sentences.queries(len(found.made.queries))} and {pairs}."
        )
        for note in sentences.notes(found):
            self.stdout.write(f"  {note}")

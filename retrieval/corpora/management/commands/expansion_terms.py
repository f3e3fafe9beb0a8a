"""`manage.py expansion_terms --corpus C --topics T --feedback fiction criticism`: terms by genre."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.management.asking import (
    add_corpus_and_topics,
    add_feedback,
    add_search,
    feedback_of,
    plan_of,
)
from retrieval.corpora.runs import naming
from retrieval.corpora.searching import plans
from retrieval.corpora.searching.expansion import FORMATS, expansions


class Command(BaseCommand):
    help = (
        "Print the terms that feedback from each genre adds to a topic, side by side, and what was dropped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_corpus_and_topics(parser)
        parser.add_argument("--topic", nargs="+", metavar="ID", help="of these topics only")
        parser.add_argument(
            "--feedback", nargs="+", required=True, metavar="GENRE[,GENRE]", help="as search_corpus has it"
        )
        add_search(parser)
        add_feedback(parser)
        parser.add_argument("--format", choices=FORMATS, default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            chosen = list(loading.current(topics))
            if options["topic"]:
                by_id = {each.topic.external_id: each for each in chosen}
                for name in options["topic"]:
                    if name not in by_id:
                        raise CommandError(f'The topic {name!r} is not among the topics "{topics.slug}".')
                chosen = [by_id[name] for name in options["topic"]]
            found = expansions(
                corpus, chosen, plan_of(options), plans.sources(options["feedback"]), feedback_of(options)
            )
        self.stdout.write(FORMATS[options["format"]].render(found), ending="")

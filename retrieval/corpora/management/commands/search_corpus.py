"""`manage.py search_corpus --corpus C --topics T --name N`: a run of BM25, or of RM3 with feedback."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.management.asking import (
    add_corpus_and_topics,
    add_feedback,
    add_search,
    asked_of_feedback,
    feedback_of,
    plan_of,
)
from retrieval.corpora.runs import naming
from retrieval.corpora.searching import indexes, plans, running
from retrieval.corpora.searching.plans import Feedback


class Command(BaseCommand):
    help = (
        "Search a corpus for every topic of a set and keep the run. The index is built when it is first "
        "needed; interrupted, the build goes on when the command is run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_corpus_and_topics(parser)
        parser.add_argument("--name", required=True, help="of the run: letters, digits, - and _")
        parser.add_argument("--genre", nargs="+", help="search only documents of these genres")
        parser.add_argument(
            "--depth", type=int, default=1_000, help="documents kept of each topic (default: 1000)"
        )
        add_search(parser)
        parser.add_argument(
            "--feedback",
            nargs="+",
            default=[],
            metavar="GENRE[,GENRE]",
            help="expand queries by documents of this genre (RM3), or by all; genres with a comma between "
            "them are searched as one, two groups give two models that --alpha mixes",
        )
        parser.add_argument("--alpha", type=float, help="weight of the first of two models, 0 to 1")
        add_feedback(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            plan = plan_of(options)
            if options["feedback"]:
                sources = plans.sources(options["feedback"])
                plan = replace(plan, feedback=Feedback(sources, feedback_of(options), options["alpha"]))
            elif said := asked_of_feedback(options):
                raise CommandError(f"{said} is about feedback; say where that comes from (--feedback).")
            self.stderr.write(indexes.expected(corpus))
            with bar() as progress:
                run = running.make_run(corpus, topics, options["name"], plan, progress=progress)
        rows = run.rows.count()
        self.stdout.write(f'Stored: "{run.name}" ({run.ranker}), {counted(rows, "row")}.')
        for note in run.notes:
            self.stdout.write(f"  {note}")

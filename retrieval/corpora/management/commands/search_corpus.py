"""`manage.py search_corpus --corpus C --topics T --name N`: a run of any ranker, of BM25 with RM3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import bar, in_one_sentence
from common.wording import counted
from retrieval.corpora.management.asking import (
    add_corpus_and_topics,
    add_feedback,
    add_filter,
    add_judged,
    add_ranker,
    add_search,
    asked_of_feedback,
    dense_plan_of,
    feedback_of,
    judged_of,
    plan_of,
    similarity_plan_of,
)
from retrieval.corpora.runs import naming
from retrieval.corpora.searching import plans, running
from retrieval.corpora.searching.plans import AnyPlan, DensePlan, Feedback
from retrieval.dense import checkpoints


class Command(BaseCommand):
    help = (
        "Search a corpus for every topic of a set and keep the run. The index is built, or the documents are "
        "encoded, when that is first needed; interrupted, it goes on when the command is run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_corpus_and_topics(parser)
        parser.add_argument("--name", required=True, help="of the run: letters, digits, - and _")
        add_filter(parser)
        parser.add_argument(
            "--depth", type=int, default=1_000, help="documents kept of each topic (default: 1000)"
        )
        add_ranker(parser)
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
        add_judged(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, topics = naming.corpus(options["corpus"]), naming.topic_set(options["topics"])
            plan = _plan(options)
            self.stderr.write(running.expected(corpus, plan))
            with bar() as progress:
                run = running.make_run(corpus, topics, options["name"], plan, progress=progress)
        rows = run.rows.count()
        self.stdout.write(f'Stored: "{run.name}" ({run.ranker}), {counted(rows, "row")}.')
        for note in run.notes:
            self.stdout.write(f"  {note}")


def _plan(options: dict[str, Any]) -> AnyPlan:
    """Return the search that was asked for. Raises `BadInput`, or `CommandError` for what does not fit."""
    ranker, given = checkpoints.parse_ranker(options["ranker"])
    if ranker.slug == DensePlan.ranker:
        checkpoint = str(given.pop(checkpoints.KIND, ""))
        if given:
            raise CommandError(f"A dense search of a corpus takes no setting {next(iter(given))!r}.")
        return dense_plan_of(options, checkpoint)
    if ranker.slug != "bm25":
        return similarity_plan_of(options, ranker.slug, given)
    if given:
        raise CommandError("Settings of BM25 have options of their own: --variant, --k1, --b.")
    plan = plan_of(options)
    if options["feedback"]:
        sources, settings = plans.sources(options["feedback"]), feedback_of(options)
        feedback = Feedback(sources, settings, options["alpha"], judged_of(options))
        return replace(plan, feedback=feedback)
    if said := asked_of_feedback(options):
        raise CommandError(f"{said} is about feedback; say where that comes from (--feedback).")
    return plan

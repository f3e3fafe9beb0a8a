"""`manage.py check_contamination QRELS --corpus C --endpoint E`: which topics a model knows by heart."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence
from retrieval.corpora.management.models import add_model, ask
from retrieval.corpora.models import Recall
from retrieval.corpora.reranking import recalls
from retrieval.corpora.reranking.recalling import RecallPlan
from retrieval.corpora.runs import naming
from retrieval.corpora.searching.judged import Judged, relevant
from retrieval.corpora.searching.plans import PARTS
from retrieval.engine.rerank.contamination import REPLICATES
from retrieval.management.following import follow


class Command(BaseCommand):
    help = (
        "Ask a model every topic without any passage, and mark those whose target it gives away. Nothing is "
        "left out by that: evaluate_runs --facets contamination:NAME gives the numbers with and without them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("qrels", help="judgments whose relevant documents are the targets")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        add_model(parser)
        parser.add_argument(
            "--level", type=int, metavar="GRADE", help="least grade (default: half the scale)"
        )
        parser.add_argument("--replicates", type=int, default=REPLICATES, help=f"default: {REPLICATES}")
        parser.add_argument("--fields", nargs="+", metavar="FIELD", help=PARTS, default=["title"])
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus, name = naming.corpus(options["corpus"]), options["endpoint"]
            topics = relevant(corpus, Judged(options["qrels"], options["level"])).qrels.topics
            fields = tuple(options["fields"])
            plan = RecallPlan(
                options["qrels"], options["level"], options["replicates"], fields, options["seed"]
            )
            found = ask(
                self,
                options,
                lambda: recalls.expected(corpus, topics, name, plan),
                lambda limits: [recalls.submit(corpus, topics, name, plan, limits)],
                follow,
            )
        for job in found:
            marked = Recall.objects.filter(job=job, contaminated=True).select_related("topic__topic")
            self.stdout.write(f"{marked.count():,} of {job.recalls.count():,} topics known by heart.")
            for each in marked.order_by("topic__topic__number"):
                self.stdout.write(
                    f"  {each.topic.topic.external_id}: {each.longest_run} words in a row, similarity "
                    f"{each.similarity:.2f}"
                )

"""`manage.py rerank_run RUN --corpus C --name N --endpoint E`: a run or pool put into order by a model."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence
from retrieval.corpora.management.models import add_model, ask, limits_of
from retrieval.corpora.models import Corpus, EndpointJob, TopicSet
from retrieval.corpora.reranking import dry_runs, jobs, runs
from retrieval.corpora.reranking.jobs import Limits
from retrieval.corpora.reranking.plans import METHODS, RerankPlan
from retrieval.corpora.runs import naming
from retrieval.corpora.searching.plans import PARTS
from retrieval.engine.rerank import onehop
from retrieval.management.following import follow
from retrieval.models import Status

SOURCES = ("keep", "leave", "both")
_PLAN = (
    "method",
    "depth",
    "objective",
    "window",
    "step",
    "orders",
    "ties",
    "one_hop",
    "first",
    "joined",
    "seed",
)
"""Options that the plan takes as they are."""


class Command(BaseCommand):
    help = (
        "Have a model put the first documents of a run, or those of a pool, into a better order, within a "
        "budget; what comes of it is a run like others. Interrupted, it goes on and pays nothing twice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", nargs="?", default="", help="the run that is put into order")
        parser.add_argument("--pool", type=int, metavar="N", help="the number of a pool, instead of a run")
        parser.add_argument("--topics", metavar="SLUG", help="of the pool; a run has its own")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--name", required=True, help="of the new run: letters, digits, - and _")
        add_model(parser)
        plan = RerankPlan(run="any")
        parser.add_argument("--method", choices=list(METHODS), default=plan.method)
        parser.add_argument("--objective", default="", help="what makes a document the right one")
        parser.add_argument("--fields", nargs="+", metavar="FIELD", help=PARTS, default=list(plan.fields))
        parser.add_argument(
            "--depth", type=int, default=plan.depth, help=f"documents shown (default: {plan.depth})"
        )
        parser.add_argument(
            "--window", type=int, default=plan.window, help=f"of rank (default: {plan.window})"
        )
        parser.add_argument("--step", type=int, default=plan.step, help=f"of rank (default: {plan.step})")
        parser.add_argument("--orders", type=int, default=1, help="first orders that are joined (default: 1)")
        parser.add_argument(
            "--ties", default="", metavar="CHECKPOINT", help="the encoder that breaks ties of scores"
        )
        parser.add_argument(
            "--one-hop", action="store_true", help="what the first documents cite joins the list"
        )
        parser.add_argument("--first", type=int, default=onehop.FIRST, help="whose citations are followed")
        parser.add_argument(
            "--joined", type=int, default=onehop.MOST, help="how long the joined list becomes"
        )
        parser.add_argument(
            "--source",
            choices=SOURCES,
            default="keep",
            help="the document that a topic was written from: keep it, leave it out, or both, as two runs",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="try three calls, show them, and say by their means what the whole would take",
        )
        parser.add_argument("--unreadable-allowed", action="store_true", help="go on whatever cannot be read")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            corpus = naming.corpus(options["corpus"])
            topics = _topics(corpus, options)
            plan = _plan(options)
            told = (corpus, topics, options["name"], options["endpoint"], plan)

            def submit(limits: Limits) -> list[EndpointJob]:
                if options["source"] == "both":
                    return runs.submit_both(*told, limits)
                return [runs.submit(*told, limits)]

            if options["dry_run"]:
                self._try(dry_runs.submit(*told, limits_of(options)))
            found = ask(
                self,
                {**options, "estimate": options["estimate"] or options["dry_run"]},
                lambda: dry_runs.expected(corpus, topics, options["endpoint"], plan),
                submit,
                follow,
            )
        for job in found:
            assert job.run is not None  # noqa: S101 - a re-ranking that is done has its run
            self.stdout.write(f'Stored: "{job.run.name}" ({job.run.ranker}), {job.run.rows.count():,} rows.')
            for note in job.run.notes:
                self.stdout.write(f"  {note}")

    def _try(self, job: EndpointJob) -> None:
        """Follow a dry run to its end and show its calls. Raises CommandError where it fails."""
        follow(job, jobs.attempt, self.stderr.write)
        job.refresh_from_db()
        if job.status != Status.DONE:
            raise CommandError(f"{job}: {job.get_status_display().lower()}. {job.error}")
        for number, each in enumerate(job.counts["tried"], 1):
            self.stdout.write(f"Call {number}")
            for message in each["messages"]:
                self.stdout.write(f"  {message['role']}: {message['content']}")
            self.stdout.write(f"  replied: {each['text']}\n  read: {each['read'] or 'unreadable'}")
            self.stdout.write(f"  tokens: {each['tokens_in']} in, {each['tokens_out']} out")


def _topics(corpus: Corpus, options: dict[str, Any]) -> TopicSet:
    if options["run"]:
        return naming.run(corpus, options["run"]).topics
    return naming.topic_set(options["topics"] or "")


def _plan(options: dict[str, Any]) -> RerankPlan:
    return RerankPlan(
        run=options["run"],
        pool=options["pool"],
        fields=tuple(options["fields"]),
        leave_source=options["source"] == "leave",
        unreadable_allowed=options["unreadable_allowed"],
        **{name: options[name] for name in _PLAN},
    )

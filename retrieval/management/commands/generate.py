"""`manage.py generate --book B [--negatives 2 | --pool 50] [--wait]`: candidates for a book's excerpts."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import fields
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import table
from common.errors import BadInput
from common.tables.table import Document
from common.tables.text import text
from retrieval.candidates import choosing, matching_costs, outcome, pipeline, pooling, submitting
from retrieval.candidates.parameters import BANDS, MOST_MATCHED
from retrieval.engine.ranking.matching import BAND
from retrieval.engine.ranking.negatives import Rules
from retrieval.jobs import queue, workers
from retrieval.management.following import follow_or_stop
from retrieval.management.named import named
from retrieval.models import Book, CandidateJob, Status

SWITCHES = [each.name for each in fields(Rules) if each.name not in {"gold", "run"}]
MATCHED = tuple(matching_costs.RULES)
TALLIES = {
    **outcome.RULES,
    choosing.TOO_FEW: "excerpts with fewer candidates than asked for",
    choosing.INSERTED: "pools that the gold was put in",
}


def setting(text: str) -> tuple[str, float | str]:
    """Read `k1=0.9` as a name and a number, `checkpoint=toy` as a name and a word."""
    name, _, value = text.partition("=")
    if not value.strip():
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE, such as k1=0.9.")
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), value.strip()


def add_settings(parser: CommandParser, about: str) -> None:
    """Add the option `--set`: parameters of a ranker, as a list of names and values."""
    parser.add_argument("--set", action="append", type=setting, default=[], metavar="NAME=VALUE", help=about)


class Command(BaseCommand):
    help = "Rank a book's passages for each excerpt and keep the gold with the hardest wrong ones, or a pool."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--book", help="slug of the book")
        what.add_argument("--resume", type=int, metavar="JOB", help="go on with a job instead of a new one")
        self.add_ranking(parser)
        self.add_rules(parser)
        parser.add_argument(
            "--wait", action="store_true", help="stay until it is done; with no worker, work here"
        )

    def add_ranking(self, parser: CommandParser) -> None:
        """Add the options that say what is ranked, how, and how much of it is kept."""
        parser.add_argument("--ranker", default="bm25", help="default: bm25")
        parser.add_argument(
            "--negatives",
            type=int,
            default=2,
            help=f"per excerpt, 1 to 50 (default 2); matched in length or context at most {MOST_MATCHED}",
        )
        parser.add_argument(
            "--pool",
            type=int,
            metavar="SIZE",
            help="keep a pool of 10 to 200 passages for each excerpt, the gold among them",
        )
        parser.add_argument(
            "--fuse",
            action="append",
            default=[],
            metavar="RANKING",
            help="with --pool: another ranking to fuse, such as 'bm25 k1=1.2 b=0.75'; may be repeated",
        )
        parser.add_argument(
            "--method", choices=pooling.METHODS, default="rrf", help="with --fuse: how (default: rrf)"
        )
        parser.add_argument("--seed", type=int, default=0, help="draws places and pools' order (default: 0)")
        parser.add_argument(
            "--size", help="only gold passages of so many sentences: 3, or 1-5 as RELiC (default: all)"
        )
        parser.add_argument(
            "--left", type=int, default=4, help="sentences before the gap, 0 to 4 (default 4)"
        )
        parser.add_argument(
            "--right", type=int, default=4, help="sentences after the gap, 0 to 4 (default 4)"
        )
        add_settings(parser, "a parameter of the ranker, such as k1=0.9 or checkpoint=toy; may be repeated")

    def add_rules(self, parser: CommandParser) -> None:
        """Add the options that say which wrong passages are left out."""
        parser.add_argument(
            "--without",
            action="append",
            default=[],
            metavar="RULE",
            choices=SWITCHES,
            help=f"do not leave out wrong passages by this rule: {', '.join(SWITCHES)}; may be repeated",
        )
        parser.add_argument(
            "--run", type=int, default=Rules().run, help="words in a row that repeat the context (default 8)"
        )
        parser.add_argument(
            "--unmatched",
            action="append",
            default=[],
            metavar="RULE",
            choices=(*MATCHED, "all"),
            help=f"let negatives differ from the gold in {', '.join(MATCHED)}, or all (the ranker's best, as "
            "in RELiC); may be repeated",
        )
        parser.add_argument(
            "--band",
            type=float,
            default=BAND,
            help=f"width of a band of length, {BANDS[0]} to {BANDS[1]:g} (default {BAND})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        job = self.resumed(options["resume"]) if options["resume"] is not None else self.submitted(options)
        self.stdout.write(f"Job {job.pk}: {job.ranker} on {job.book.slug}, {job.total:,} excerpts.")
        if options["wait"]:
            self.wait(job)
        elif workers.is_absent(job.queue):
            self.stdout.write(
                f"No worker is there for the queue {job.queue}; the job waits. Start one with: "
                f"celery -A variorum worker -P solo -Q cpu,gpu, or work here with: "
                f"manage.py generate --resume {job.pk} --wait"
            )

    def submitted(self, options: dict[str, Any]) -> CandidateJob:
        """Submit the job that the options ask for."""
        names = ("negatives", "size", "left", "right")
        parameters = {**dict(options["set"]), **{name: options[name] for name in names}}
        parameters["rules"] = {**dict.fromkeys(options["without"], False), "run": options["run"]}
        if options["pool"] is None:
            off = MATCHED if "all" in options["unmatched"] else options["unmatched"]
            parameters["matching"] = {**{name: name not in off for name in MATCHED}, "band": options["band"]}
        elif options["unmatched"]:
            raise CommandError("A pool is not matched: leave out --unmatched, or --pool.")
        for name, _ in options["set"]:
            if name in names:
                raise CommandError(
                    f"Write --{name} instead of --set {name}=…; --set is for the ranker's own."
                )
        if options["fuse"] and options["pool"] is None:
            raise CommandError("Rankings are fused for a pool only: write --pool SIZE too.")
        book = named(Book, options["book"])
        try:
            if options["pool"] is not None:
                others = [pooling.parse_ranking(each) for each in options["fuse"]]
                parameters["pool"] = {"size": options["pool"], "method": options["method"], "with": others}
            return submitting.submit(
                book, ranker=options["ranker"], parameters=parameters, seed=options["seed"]
            )
        except BadInput as error:
            raise CommandError(str(error)) from None

    def resumed(self, pk: int) -> CandidateJob:
        """Put a job that failed or was cancelled back into the queue."""
        job = CandidateJob.objects.filter(pk=pk).first()
        if job is None:
            raise CommandError(f"There is no job {pk}.")
        if job.status == Status.DONE:
            raise CommandError(f"Job {pk} is done already.")
        queue.retry(pk)
        job.refresh_from_db()
        return job

    def wait(self, job: CandidateJob) -> None:
        """Wait until the job has ended, and print what it came to."""
        again = f"manage.py generate --resume {job.pk} --wait"
        follow_or_stop(job, pipeline.attempt, self.stderr.write, kept="Nothing is lost:", again=again)
        if job.status == Status.FAILED:
            raise CommandError(f"Job {job.pk} failed in attempt {job.attempts}: {job.error}")
        if job.status == Status.CANCELLED:
            raise CommandError(f"Job {job.pk} was cancelled at {job.done:,} of {job.total:,}.")
        self.stdout.write(f"Done: {job.candidates.count():,} candidates for {job.done:,} excerpts.")
        if costs := matching_costs.of_job(job):
            self.stdout.write(text(Document(costs.sentence, (costs.ranks, costs.kept))))
        left_out = {name: n for name, n in job.counts.items() if name != matching_costs.COUNTED}
        if left_out:
            self.stdout.write("Passages ranked higher and left out, by reason:")
            self.stdout.write(table({TALLIES.get(name, name): n for name, n in left_out.items()}))

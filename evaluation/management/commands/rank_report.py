"""Print where a job's ranker put the right passages."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from common.errors import BadInput
from evaluation.management.commands.report import resamples
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.ranking import queries
from evaluation.ranking.formats import FORMATS
from evaluation.ranking.report import rank_report
from evaluation.ranking.values import RankReport
from retrieval.engine.ranking.pools import BEYOND
from retrieval.models import CandidateJob

NAMED = 20


class Command(BaseCommand):
    help = "Recall@k, mean rank and proxy-task accuracy of a candidate job, with intervals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", type=int, help="the job's number")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--contexts",
            action="store_true",
            help="rank again with 0/1, 0/4, 1/0, 4/0, 1/1 and 4/4 sentences",
        )
        parser.add_argument(
            "--against",
            type=int,
            nargs="+",
            default=[],
            metavar="JOB",
            help="compare with these jobs, paired",
        )
        parser.add_argument(
            "--beyond",
            type=int,
            default=BEYOND,
            help="count gold passages ranked beyond (default: %(default)s)",
        )
        parser.add_argument(
            "--per-query", action="store_true", help="a row an excerpt instead: its rank, whatever the format"
        )
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["job"] in options["against"]:
            raise CommandError(f"Job {options['job']} cannot be compared with itself.")
        if options["per_query"] and (options["contexts"] or options["against"]):
            raise CommandError("--per-query has the ranks of one job: leave --contexts and --against out.")
        wanted, output = options["format"], options["output"]
        try:
            if options["per_query"]:
                give(self, [queries.FORMATS[wanted].render(queries.queries(find(options["job"])))], output)
                return
            found = self.computed(options)
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was written.", returncode=130) from None
        give(self, [FORMATS[wanted].render(found)], output)

    def computed(self, options: dict[str, Any]) -> RankReport:
        job = find(options["job"])
        others = [find(each) for each in options["against"]]
        with tqdm(total=job.done, disable=None if options["contexts"] else True, unit="excerpt") as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            return rank_report(
                job,
                resamples=options["resamples"],
                contexts=options["contexts"],
                against=others,
                cutoff=options["beyond"],
                progress=progress,
            )


def find(pk: int) -> CandidateJob:
    """The job of that number, or one sentence with the numbers there are."""
    job = CandidateJob.objects.select_related("book").filter(pk=pk).first()
    if job is not None:
        return job
    known = [str(each) for each in CandidateJob.objects.values_list("pk", flat=True)[: NAMED + 1]]
    if not known:
        raise CommandError(f"There is no job {pk}: there is none yet; make one with manage.py generate.")
    more = ", …" if len(known) > NAMED else ""
    raise CommandError(f"There is no job {pk}. There are: {', '.join(known[:NAMED])}{more}.")

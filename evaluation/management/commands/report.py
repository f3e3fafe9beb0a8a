"""Print what the judgments of a study say."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Study
from common.errors import BadInput
from evaluation.kinds.registry import all_kinds
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS

MOST_RESAMPLES = 100_000
NAMED = 20


def resamples(text: str) -> int:
    """A number of resamples that gives an interval and ends in time."""
    if not text.isascii() or not text.isdigit() or not 100 <= int(text) <= MOST_RESAMPLES:
        raise ArgumentTypeError(f"must be a whole number from 100 to {MOST_RESAMPLES:,}, not {text!r}.")
    return int(text)


def weightings() -> str:
    """The ways of weighing that each kind of data offers, in words."""
    kinds = {name: one.weightings.items() for name, one in all_kinds().items() if one.weightings}
    return "; ".join(
        f"{name}: {', '.join(f'{way}, {says}' for way, says in ways)}" for name, ways in kinds.items()
    )


class Command(BaseCommand):
    help = "Accuracy and agreement of a study, with intervals, as a table, JSON, CSV or LaTeX."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )

        parser.add_argument(
            "--weighting",
            default="",
            metavar="HOW",
            help=f"how items weigh, the usual way first: {weightings()}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = find(options["study"])
        try:
            found = report(study, resamples=options["resamples"], weighting=options["weighting"])
        except BadInput as error:
            raise CommandError(f"--{error}") from error
        give(self, [FORMATS[options["format"]].render(found)], options["output"])


def find(slug: str) -> Study:
    """The study of that name, or one sentence with the names there are."""
    study = Study.objects.filter(slug=slug, deleted=None).first()
    if study is not None:
        return study
    known = list(
        Study.objects.filter(deleted=None).order_by("slug").values_list("slug", flat=True)[: NAMED + 1]
    )
    if not known:
        raise CommandError(f"There is no study “{slug}”: there is none yet.")
    more = ", …" if len(known) > NAMED else ""
    raise CommandError(f"There is no study “{slug}”. There are: {', '.join(known[:NAMED])}{more}.")

"""`manage.py evaluate_runs QRELS RUN [RUN ...]`: measures of runs on judgments, from files alone."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand

from common.console import in_one_sentence
from evaluation.management.commands.report import resamples
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.measures import NAMES, RunMeasure, measures
from evaluation.runs import formats
from evaluation.runs.files import read_facets, read_qrels, read_runs
from evaluation.runs.report import BLOCKS, runs_report


class Command(BaseCommand):
    help = "MAP, nDCG and the like of TREC run files on qrels, with intervals over topics and paired tests."
    # No page is needed to count, and loading all of them for the checks costs more than most runs.
    requires_system_checks: ClassVar = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("qrels", type=Path, help="TREC's four columns, or BEIR's three; .gz is unpacked")
        parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="TREC's six columns")
        parser.add_argument(
            "--level", type=at_least_one, help="the least grade that is relevant (default: half the scale)"
        )
        parser.add_argument(
            "--highest", type=at_least_one, help="highest grade of the scale (default: the highest given)"
        )
        parser.add_argument("--measures", type=asked, help=f"with commas: {NAMES}".replace("%", "%%"))
        parser.add_argument("--compare", default="", metavar="BASE", help="test every run against this one")
        parser.add_argument(
            "--facets", type=Path, metavar="FILE", help="topic, tab, facet a line: numbers of each facet"
        )
        parser.add_argument(
            "--pool", type=at_least_one, metavar="DEPTH", help="what each run brought alone, and without it"
        )
        parser.add_argument("--per-topic", action="store_true", help="every value of every topic as well")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--resamples", type=resamples, default=RESAMPLES, help="default: %(default)s")
        parser.add_argument("--format", choices=formats.NAMES, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            found = runs_report(
                read_qrels(options["qrels"]),
                read_runs(options["runs"]),
                blocks=(options["measures"],) if options["measures"] else BLOCKS,
                level=options["level"],
                most=options["highest"],
                base=options["compare"],
                facets=read_facets(options["facets"]) if options["facets"] else None,
                depth=options["pool"],
                seed=options["seed"],
                resamples=options["resamples"],
            )
        form = formats.written(per_topic=options["per_topic"])[options["format"]]
        give(self, [form.render(found)], options["output"])


def asked(text: str) -> tuple[RunMeasure, ...]:
    """The measures named, as argparse wants its errors."""
    try:
        return measures(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def at_least_one(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 on.")
    return int(text)

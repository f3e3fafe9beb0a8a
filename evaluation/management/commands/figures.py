"""Draw a study's pictures for print."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.kinds.registry import kind_of
from evaluation.management.commands.report import find, resamples
from evaluation.management.console import PICTURES, needing_matplotlib, written
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.report.compute import report


class Command(BaseCommand):
    help = "Draw the pictures of a study's report for print: one file each, as SVG, PNG or PDF."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=PICTURES, default="pdf")
        parser.add_argument("--output", type=Path, metavar="DIR", default=Path(), help="default: here")
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with needing_matplotlib():
            from evaluation.figures.for_print import draw
        study = find(options["study"])
        found = report(study, resamples=options["resamples"])
        if found.problem:
            raise CommandError(f"There is nothing to draw. {found.problem}")
        others = kind_of(study).drawings(found)
        drawn = [
            each._replace(name=f"{found.slug}-{each.name}")
            for each in draw(found.lines, others, options["format"], simulated=bool(found.simulated))
        ]
        if not drawn:
            raise CommandError("There is nothing to draw: no share and no coefficient has a value.")
        for path in written(options["output"], drawn, options["format"]):
            self.stdout.write(str(path))

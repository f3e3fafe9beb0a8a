"""Draw a study's pictures for print."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.kinds.registry import kind_of
from evaluation.management.commands.report import find, resamples
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.report.compute import report

FORMATS = ("svg", "png", "pdf")


class Command(BaseCommand):
    help = "Draw the pictures of a study's report for print: one file each, as SVG, PNG or PDF."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="pdf")
        parser.add_argument("--output", type=Path, metavar="DIR", default=Path(), help="default: here")
        parser.add_argument(
            "--resamples", type=resamples, default=RESAMPLES, help="for the intervals (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # matplotlib is large and optional: nothing but this command loads it.
        try:
            from evaluation.figures.for_print import draw
        except ImportError as error:
            if error.name != "matplotlib":
                raise
            raise CommandError(
                "Figures need matplotlib: python -m pip install -r requirements-figures.txt"
            ) from None
        study = find(options["study"])
        found = report(study, resamples=options["resamples"])
        if found.problem:
            raise CommandError(f"There is nothing to draw. {found.problem}")
        folder: Path = options["output"]
        others = kind_of(study).drawings(found)
        files = {
            folder / f"{found.slug}-{each.name}.{options['format']}": each.data
            for each in draw(found.lines, others, options["format"], simulated=bool(found.simulated))
        }
        if not files:
            raise CommandError("There is nothing to draw. No share and no coefficient has a value yet.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path, data in files.items():
                path.write_bytes(data)
        except OSError as error:
            raise CommandError(f"{folder}: cannot be written ({error.strerror}).") from error
        for path in files:
            self.stdout.write(str(path))

"""`manage.py item_difficulty S`: what makes a study's items hard, and which wrong passages fooled whom."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.difficulty.report import difficulty
from evaluation.difficulty.tables import FORMATS, picture
from evaluation.management.commands.report import find
from evaluation.management.console import PICTURES, give, needing_matplotlib, written


class Command(BaseCommand):
    help = "A logistic model of right answers by length, rank and overlap, and the wrong passages that lured."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument("--pictures", type=Path, metavar="DIR", help="draw the effects there")
        parser.add_argument("--picture-format", choices=PICTURES, default="pdf", help="default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        found = difficulty(find(options["study"]))
        give(self, [FORMATS[options["format"]].render(found)], options["output"])
        drawing = picture(found)
        if options["pictures"] and drawing:
            with needing_matplotlib():
                from common.pictures.paper import draw
            drawn = draw([("effects", drawing)], options["picture_format"])
            for path in written(options["pictures"], drawn, options["picture_format"]):
                self.stderr.write(f"Wrote {path}.")

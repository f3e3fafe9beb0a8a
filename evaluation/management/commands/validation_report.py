"""Print what a validation sample says of a machine, and of the people who saw its answers."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.management.commands.report import find
from evaluation.management.console import give
from evaluation.validation.compute import LEVEL_OF_RELEVANCE, validation
from evaluation.validation.formats import FORMATS


class Command(BaseCommand):
    help = "Estimates on all items from a machine and a sample of people, and what its answers did to them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument(
            "--level",
            type=int,
            choices=range(1, 100),
            metavar="GRADE",
            default=LEVEL_OF_RELEVANCE,
            help="the least grade that is relevant (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = validation(find(options["study"]), options["level"])
        give(self, [FORMATS[options["format"]].render(found)], options["output"])

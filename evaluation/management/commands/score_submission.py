"""`manage.py score_submission SUBMISSION --key FILE`: recall@k of a submission, as RELiC scores one."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from common import console
from evaluation.management.commands.report import resamples
from evaluation.management.console import give
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.ranking import submitted
from retrieval.engine.text import relic


class Command(BaseCommand):
    help = "Recall@k of RELiC's submission file against a file that has the starts, with intervals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", help="as relic_submission writes it")
        parser.add_argument("--key", required=True, metavar="FILE", help="RELiC's file, with the starts")
        parser.add_argument("--format", choices=submitted.FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")
        parser.add_argument("--resamples", type=resamples, default=RESAMPLES, help="default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        with console.in_one_sentence():
            submission = submitted.read(*console.read(options["submission"]))
            books = relic.parse(*console.read(options["key"]))
            found = submitted.score(submission, books, options["resamples"])
        give(self, [submitted.FORMATS[options["format"]].render(found)], options["output"])

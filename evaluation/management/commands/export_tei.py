"""Write a study's apparatus as TEI."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.tasktypes.base import Invalid
from evaluation.apparatus import tei
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.management.commands.report import find
from evaluation.management.console import give


class Command(BaseCommand):
    help = "Write the readings of every item of a study as TEI: <app>, <lem>, <rdg wit> and <listWit>."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find(options["study"])
        try:
            kind_of(study)
        except (Unreadable, Invalid) as error:
            raise CommandError(f"There is no apparatus of this study. {error}") from None
        give(self, tei.lines(study), options["output"])

"""Print what somebody who never reads would get right in a study."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from evaluation.cues.audit import FORMATS, audit_of
from evaluation.management.commands.report import find
from evaluation.management.console import give


class Command(BaseCommand):
    help = "How often readers who see only length, case, punctuation and the like find a study's answers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        found = audit_of(find(options["study"]))
        give(self, [FORMATS[options["format"]].render(found)], options["output"])

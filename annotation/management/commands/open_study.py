"""`manage.py open_study S`: let the readers in."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.management.console import in_one_sentence, named_study
from annotation.studies.lifecycle import open_study


class Command(BaseCommand):
    help = "Open a draft study: readers can begin; overlap and items stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            study = open_study(named_study(options["study"]), by=None, now=timezone.now())
        self.stdout.write(f"Opened “{study.slug}”: {study.assignments.count():,} readings wait for readers.")

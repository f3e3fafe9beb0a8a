"""`manage.py purge_studies`: delete for good what was put away more than thirty days ago."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.studies.trash import DAYS, purge


class Command(BaseCommand):
    help = f"Delete for good what was put away more than {DAYS} days ago, with all its judgments."

    def handle(self, *args: Any, **options: Any) -> None:
        gone = purge(timezone.now())
        for slug in gone:
            self.stdout.write(f"Deleted “{slug}”.")
        if not gone:
            self.stdout.write(f"Nothing was put away more than {DAYS} days ago.")

"""Explain what is wrong with an installation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from variorum.diagnosis import findings

MARKS = {True: "ok   ", False: "FAULT", None: "note "}


class Command(BaseCommand):
    help = "Look at the data directory, key, database, queue and workers, and say what to do."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        faults = 0
        for finding in findings():
            self.stdout.write(f"{MARKS[finding.ok]}  {finding.what}: {finding.detail}")
            faults += finding.ok is False
        if faults:
            raise CommandError(f"{faults} fault{'s' if faults > 1 else ''} found.")
        self.stdout.write("Nothing is wrong.")

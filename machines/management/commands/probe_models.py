"""`manage.py probe_models` asks each model of the settings what it honours; `probe_models NAME` only one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence
from machines import wording
from machines.endpoints import endpoints, find, problems
from machines.ledger import probe


class Command(BaseCommand):
    help = "Ask models a handful of small questions, and say what they are known to honour."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="*", help="default: every model of the settings")
        parser.add_argument("--seconds", type=float, default=60.0, help="the longest that a call may take")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            chosen = [find(name) for name in options["name"]] or list(endpoints().values())
            for each in problems():
                self.stderr.write(f"VARIORUM_MODELS: {each}")
            if not chosen:
                self.stdout.write("No model may be asked: VARIORUM_MODELS describes none (docs/models.md).")
            reached = [self.one(each, options["seconds"]) for each in chosen]
        if not all(reached):
            raise CommandError(f"{reached.count(False)} of {len(reached)} could not be asked.")

    def one(self, endpoint: Any, seconds: float) -> bool:
        """Probe one model and print what came of it; return whether it answered."""
        self.stdout.write(f"{endpoint.name}: {endpoint}, {wording.place(endpoint)}")
        found = probe(endpoint, seconds=seconds)
        for what, said in wording.honoured(found):
            self.stdout.write(f"  {what:<16} {said}")
        if found.problem:
            self.stdout.write(f"  {found.problem}")
        return found.reached

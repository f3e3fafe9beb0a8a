"""`manage.py simulate S --annotators 3 --accuracy 0.87 --seed N`: programs that read as people do."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.console import bar, in_one_sentence, named_study
from annotation.simulate import simulate


class Command(BaseCommand):
    help = "Let simulated readers do a study. Their judgments are marked as simulated everywhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument("--annotators", type=int, default=3, help="how many readers (default 3)")
        parser.add_argument("--accuracy", type=float, default=0.87, help="chance of the gold answer, 0 to 1")
        parser.add_argument(
            "--pull", type=float, default=0, help="chance of taking over a machine's answer chosen beforehand"
        )
        parser.add_argument(
            "--sway", type=float, default=0, help="chance of changing to one that is revealed"
        )
        parser.add_argument("--seed", type=int, required=True, help="the same seed says the same")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        with in_one_sentence(), bar("judgment") as progress:
            result = simulate(
                study,
                annotators=options["annotators"],
                accuracy=options["accuracy"],
                seed=options["seed"],
                pull=options["pull"],
                sway=options["sway"],
                progress=progress,
            )
        if result.opened:
            self.stdout.write(f"“{study.slug}” was a draft and has been opened.")
        made = f"{result.new:,} simulated judgments" if result.new else "Nothing was left to do: no judgment"
        self.stdout.write(f"{made} added to “{study.slug}”.")

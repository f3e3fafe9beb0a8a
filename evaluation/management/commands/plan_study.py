"""`manage.py plan_study`: widths, power, hours and cost of a study before anybody reads."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.errors import BadField
from evaluation.management.commands.report import find
from evaluation.management.console import give
from evaluation.planning.assumptions import ANSWERS, ASKED, CHOICES, Assumptions
from evaluation.planning.formats import FORMATS
from evaluation.planning.pilot import pilot_of
from evaluation.planning.plan import plan
from evaluation.planning.prefilled import of_pilot, of_study


class Command(BaseCommand):
    help = "How exactly a study of so many items and readers will know its numbers, and what it takes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", metavar="S", help="take items and readers from this study")
        parser.add_argument("--pilot", metavar="S", help="take widths from the answers to this study")
        parser.add_argument("--answers", choices=ANSWERS, help=f"default: {CHOICES}")
        for name, one in ASKED.items():
            usual = getattr(Assumptions, name)
            about = f"{one.label} (default: {'none' if usual is None else f'{usual:g}'})".replace("%", "%%")
            parser.add_argument(f"--{name}", type=int if one.whole else float, metavar="N", help=about)
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        typed = {name: options[name] for name in ("answers", *ASKED) if options[name] is not None}
        try:
            known: dict[str, Any] = {}
            pilot = None
            if options["pilot"]:
                study = find(options["pilot"])
                pilot = pilot_of(study, typed.get("readers"))
                known |= of_pilot(pilot)
            if options["study"]:
                known |= of_study(find(options["study"]))
            found = plan(Assumptions(**(known | typed)), pilot)
        except BadField as error:
            raise CommandError(f"--{error.field}: {error}") from error
        give(self, [FORMATS[options["format"]].render(found)], options["output"])

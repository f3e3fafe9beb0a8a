"""`manage.py leak_check S [--mend] [--format F]`: answers that a study prints where nobody need read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from annotation.management.commands.export import write
from annotation.management.console import bar, in_one_sentence, named_study
from annotation.studies.leak_report import FORMATS, report
from annotation.studies.leaks import check
from annotation.studies.mending import mend
from common.wording import counted


class Command(BaseCommand):
    help = "Check a study for answers that its contexts, options, practice or guidelines print."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument(
            "--mend",
            action="store_true",
            help="first cover what stands in contexts, and leave practice items out that tell an answer",
        )
        parser.add_argument("--format", choices=FORMATS, default="table")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        with in_one_sentence(), bar("text") as progress:
            if options["mend"]:
                made = mend(study, by=None, now=timezone.now())
                out = counted(made.left_out, "practice item")
                self.stderr.write(f"Covered {counted(made.covered, 'finding')}, left {out} out.")
            found = FORMATS[options["format"]].render(report(study, check(study, progress)))
        if options["output"]:
            write(options["output"], [found])
            self.stderr.write(f"Wrote {options['output']}.")
        else:
            self.stdout.write(found, ending="")

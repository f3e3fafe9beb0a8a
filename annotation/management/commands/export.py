"""`manage.py export S --format jsonl|csv [--decisions|--questions|--readings]`: what was judged.

`manage.py export S --as dataset DIR`: everything of the study, as a data set that `import_dataset` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from annotation.dataset.write import record_export, write_dataset
from annotation.export import decisions, judgments, questions, readings
from annotation.management.console import in_one_sentence, named_study
from annotation.models import Study
from common.console import printed, whole


class Command(BaseCommand):
    help = "Write every judgment of a study, to the terminal or to a file that appears when it is whole."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument("--format", choices=list(judgments.FORMATS), help="of a file")
        parser.add_argument(
            "--as",
            dest="form",
            nargs=2,
            metavar=("dataset", "DIR"),
            help="everything, in a new or empty folder",
        )
        parser.add_argument("--licence", default="", help="of a data set: SPDX id, e.g. CC-BY-4.0")
        parser.add_argument(
            "--no-parquet", action="store_true", help="of a data set: without its tables as Parquet"
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--decisions", action="store_true", help="what adjudicators decided, instead of the judgments"
        )
        what.add_argument("--questions", action="store_true", help="a row for each question of a rubric")
        what.add_argument("--readings", action="store_true", help="what machine readers said")
        parser.add_argument(
            "--every-kind", action="store_true", help="with what was said of practice and check items"
        )
        parser.add_argument("--output", metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if options["form"] is not None:
            self.data_set(study, options)
            return
        if options["format"] is None:
            raise CommandError("Give --format jsonl or csv; or --as dataset and a folder.")
        with in_one_sentence():
            lines, total = self.chosen(study, options)
            shown = tqdm(lines, total=total, unit="line", disable=None, leave=False)
            if options["output"]:
                number = write(Path(options["output"]), shown)
                self.stderr.write(f"Wrote {number:,} lines to {options['output']}.")
            else:
                printed(self.stdout, shown)

    def data_set(self, study: Study, options: dict[str, Any]) -> None:
        """Write a data set, and record it. Raises `CommandError` without a folder."""
        what, folder = options["form"]
        if what != "dataset" or options["format"] is not None:
            raise CommandError("Give --as dataset and a folder, and no --format: it has JSONL and Parquet.")
        with in_one_sentence():
            write_dataset(study, Path(folder), licence=options["licence"], parquet=not options["no_parquet"])
            record_export(study, by=None, licence=options["licence"])
        self.stderr.write(f"Wrote the data set of {study.slug} to {folder}.")

    def chosen(self, study: Study, options: dict[str, Any]) -> tuple[Iterator[str], int | None]:
        """Return the lines that were asked for, and how many there will be, where that is known."""
        if options["decisions"]:
            lines = decisions.export(study, options["format"], by=None)
            return lines, decisions.count(study)
        if options["readings"]:
            return readings.export(study, options["format"], by=None), readings.count(study)
        beside = {"every_kind": options["every_kind"]}
        if options["questions"]:
            lines = questions.export(study, options["format"], by=None, **beside)
            return lines, None
        return judgments.export(study, options["format"], by=None, **beside), judgments.count(study, **beside)


def write(path: Path, lines: Iterable[str]) -> int:
    """Write a file that appears when it is whole; return the number of lines. Raises `CommandError`."""
    number = 0
    with whole(path) as file:
        for line in lines:
            file.write(line)
            number += 1
    return number

"""`manage.py export_run NAME --corpus C [--output FILE]`: a run as TREC's tools read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common.console import in_one_sentence, printed, whole
from retrieval.corpora.runs import files, naming


class Command(BaseCommand):
    help = (
        "Write a run in TREC's six columns. Its scores fall strictly, even as float32, so that every tool "
        "keeps the order of the run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            run = naming.run(naming.corpus(options["corpus"]), options["name"])
        if options["output"] is None:
            printed(self.stdout, files.write_run(run))
            return
        with whole(options["output"]) as file:
            file.writelines(files.write_run(run))
        self.stderr.write(f"Wrote {options['output']}.")

"""`manage.py export_run NAME --corpus C [--to FILE]`: a run as TREC's tools read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence
from retrieval.corpora.runs import files, naming


class Command(BaseCommand):
    help = (
        "Write a run in TREC's six columns. Its scores fall strictly, even as float32, so that every tool "
        "keeps the order of the run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--corpus", required=True, metavar="SLUG")
        parser.add_argument("--to", metavar="FILE", help="default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            run = naming.run(naming.corpus(options["corpus"]), options["name"])
        if not options["to"]:
            for line in files.write_run(run):
                self.stdout.write(line, ending="")
            return
        try:
            with Path(options["to"]).open("x", encoding="utf-8") as file:
                file.writelines(files.write_run(run))
        except OSError as error:
            raise CommandError(f"{options['to']} cannot be written: {error.strerror or error}.") from None

"""`manage.py import_dataset DIR [--researcher NAME]`: a data set becomes a study again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.dataset.read import read_dataset
from annotation.management.console import in_one_sentence, named_user
from common.console import bar


class Command(BaseCommand):
    help = (
        "Read a data set that `export --as dataset` wrote: the study with its judgments, without its people."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", help="the folder with datapackage.json")
        parser.add_argument("--researcher", metavar="NAME", help="user name of who directs it from now on")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = named_user(options["researcher"])
        with in_one_sentence(), bar() as progress:
            study = read_dataset(Path(options["folder"]), owner, progress)
        judged = study.assignments.filter(judgments__isnull=False).distinct().count()
        self.stdout.write(
            f"Read {study.slug}: {study.items.count():,} items, {judged:,} readings. "
            "Its readers are pseudonyms, who cannot sign in."
        )

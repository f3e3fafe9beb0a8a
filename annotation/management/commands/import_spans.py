"""`manage.py import_spans STUDY FILE.jsonl`: items of the span task, into a new draft or a draft there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.items.files import entries
from annotation.management import spans
from annotation.management.console import in_one_sentence
from annotation.spans.loading import TASK, load
from annotation.tasktypes import registry
from common.console import read


class Command(BaseCommand):
    help = "Load span items from a JSONL file (docs/span-task.md). Run again, it adds only what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        parser.add_argument("file", metavar="FILE.jsonl", help="one item a line, UTF-8")
        spans.of_a_new_study(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        data, path = read(options["file"])
        name = Path(path).name
        about = spans.about(options)
        with in_one_sentence():
            loaded = load(options["study"], entries(registry.get(TASK), data, name), source=name, **about)
        self.stdout.write(spans.said(loaded))

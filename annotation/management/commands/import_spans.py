"""`manage.py import_spans STUDY FILE.jsonl`: `import_items --task span`, by the name it had first."""

from __future__ import annotations

from django.core.management.base import CommandParser

from annotation.management.commands import import_items


class Command(import_items.Command):
    help = "Load span items from a JSONL file (docs/span-task.md). Run again, it adds only what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(task="span")

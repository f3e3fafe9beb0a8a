"""`manage.py import_spans STUDY FILE.jsonl`: `import_items --task span`, by the name it had first.

With `--several` it is `import_items --task spans`: readers may mark several spans of an item.
"""

from __future__ import annotations

from django.core.management.base import CommandParser

from annotation.management.commands import import_items


class Command(import_items.Command):
    help = "Load span items from a JSONL file (docs/span-task.md). Run again, it adds only what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(task="span")
        parser.add_argument(
            "--several",
            dest="task",
            action="store_const",
            const="spans",
            help="readers may mark several spans of an item (task “spans”)",
        )

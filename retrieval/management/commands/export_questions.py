"""`manage.py export_questions SET --topics T`: questions made topics with targets; or all in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.console import in_one_sentence, whole
from retrieval.corpora.models import QuestionSet
from retrieval.questions import exporting


class Command(BaseCommand):
    help = "Store the kept questions of a set as topics with targets; or write all of them, with every edit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", help="the slug of the set")
        parser.add_argument("--topics", metavar="SLUG", help="store topics under this name")
        parser.add_argument(
            "--qrels", default="", metavar="NAME", help="of their targets (default: the slug)"
        )
        parser.add_argument("--unjudged", action="store_true", help="questions that nobody judged, too")
        parser.add_argument(
            "--output", metavar="FILE", help="write every question as JSON lines, edits included"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = QuestionSet.objects.filter(slug=options["set"]).first()
        if found is None:
            raise CommandError(
                f'No questions "{options["set"]}" are here; write some first (write_questions).'
            )
        if not options["topics"] and not options["output"]:
            raise CommandError("Say what to make of them: --topics SLUG, or --output FILE.")
        if options["output"]:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in exporting.rows(found))
            with in_one_sentence(), whole(Path(options["output"])) as file:
                file.writelines(lines)
            self.stdout.write(f"Written: {options['output']}, {found.questions.count():,} questions.")
        if options["topics"]:
            with in_one_sentence():
                made = exporting.export(
                    found, options["topics"], options["qrels"], unjudged=options["unjudged"]
                )
            self.stdout.write(f"Stored: {made.in_words()}")

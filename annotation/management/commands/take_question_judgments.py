"""`manage.py take_question_judgments STUDY`: what people said of questions, back into their set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.console import in_one_sentence, named_study, named_user
from annotation.studies.questions import take


class Command(BaseCommand):
    help = (
        "Store what people said of questions: specificity by majority, quality by the lower median, and the "
        "wording where all who gave one agree. What an adjudicator decided stands for the readings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the study")
        parser.add_argument("--by", metavar="NAME", help="user name of whom the edits are kept under")

    def handle(self, *args: Any, **options: Any) -> None:
        study, by = named_study(options["study"]), named_user(options["by"])
        with in_one_sentence():
            taken = take(study, by)
        self.stdout.write(taken.in_words())

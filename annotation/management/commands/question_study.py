"""`manage.py question_study SET STUDY`: a draft in which people judge the questions of a set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management import loading_items
from annotation.management.console import in_one_sentence
from annotation.studies.build import load_items
from annotation.studies.questions import TASK, entries
from retrieval.corpora.models import QuestionSet


class Command(BaseCommand):
    help = "Make an item of each kept question of a set, with the rubric of specificity and quality."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", help="the slug of the set of questions")
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        about = loading_items.study_options(options)
        found = QuestionSet.objects.filter(slug=options["set"]).first()
        if found is None:
            raise CommandError(
                f"There are no questions “{options['set']}”; write some first (write_questions)."
            )
        with in_one_sentence():
            loaded = load_items(
                options["study"], TASK, entries(found), source=f"the questions {found.slug}", **about
            )
        self.stdout.write(loading_items.summary(loaded))

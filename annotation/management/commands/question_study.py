"""`manage.py question_study STUDY --questions SET`: people judge questions; `--take` brings it back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management import loading_items
from annotation.management.console import in_one_sentence, named_study
from annotation.studies.build import load_items
from annotation.studies.questions import TASK, entries, take
from retrieval.corpora.models import QuestionSet


class Command(BaseCommand):
    help = (
        "Make an item of each kept question of a set, with the rubric of specificity and quality. --take "
        "stores in the set what people said: specificity by majority, quality by the lower median, the "
        "wording where all who gave one agree; what an adjudicator decided stands for the readings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of a draft, or of the study to make")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--questions", metavar="SET", help="the slug of the set of questions")
        what.add_argument("--take", action="store_true", help="take what was judged back into the set")
        loading_items.add_study_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        about = loading_items.study_options(options)
        if options["take"]:
            study = named_study(options["study"])
            with in_one_sentence():
                taken = take(study, about["by"])
            self.stdout.write(taken.in_words())
            return
        found = QuestionSet.objects.filter(slug=options["questions"]).first()
        if found is None:
            raise CommandError(
                f"There are no questions “{options['questions']}”; write some first (write_questions)."
            )
        source = f"the questions {found.slug}"
        with in_one_sentence():
            loaded = load_items(options["study"], TASK, entries(found), source=source, **about)
        self.stdout.write(loading_items.summary(loaded))

"""`manage.py build_study S --task choice --job J --overlap 3 --seed N`: a draft from a finished job."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.build import build_study
from annotation.management.console import bar, in_one_sentence, named_user
from annotation.models import OptionOrder
from retrieval.management.console import text
from retrieval.models import CandidateJob
from retrieval.wording import counted


class Command(BaseCommand):
    help = "Make a draft study with an item for each excerpt of a finished candidate job."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the new study: letters, digits, hyphens")
        parser.add_argument("--task", default="choice", help="task type (default: choice)")
        parser.add_argument("--job", type=int, required=True, help="number of a finished candidate job")
        parser.add_argument("--overlap", type=int, default=3, help="judgments an item (default 3)")
        parser.add_argument("--seed", type=int, required=True, help="whole number all orders are drawn from")
        parser.add_argument("--title", help="default: the book and its critics")
        parser.add_argument("--researcher", help="user name of the study's researcher")
        parser.add_argument("--guidelines", metavar="FILE", help="what readers are told, as UTF-8 text")
        parser.add_argument("--contact", default="", help="whom readers may ask")
        parser.add_argument(
            "--option-order",
            choices=OptionOrder.values,
            default=OptionOrder.PER_ANNOTATOR.value,
            help="of the options, for the readers (default: per_annotator)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        by, guidelines = named_user(options["researcher"]), text(options["guidelines"])
        job = CandidateJob.objects.select_related("book").filter(pk=options["job"]).first()
        title = options["title"] or (f"{job.book.title} and its critics" if job else options["study"])
        with in_one_sentence(), bar("excerpt") as progress:
            built = build_study(
                slug=options["study"],
                title=title[:200],
                task=options["task"],
                job=options["job"],
                overlap=options["overlap"],
                seed=options["seed"],
                by=by,
                option_order=options["option_order"],
                guidelines=guidelines,
                contact=options["contact"],
                progress=progress,
            )
        self.stdout.write(f"Built “{built.study.slug}”, a draft with {counted(built.items, 'item')}.")
        for reason, number in built.left_out.most_common():
            self.stdout.write(f"  left out, {reason}: {number:,}")
        self.stdout.write(f"Invite annotators with: manage.py invite {built.study.slug}")

"""`manage.py build_study S --task choice --job J --overlap 3 --seed N`: a draft from a finished job."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.management.console import bar, in_one_sentence, named_user
from annotation.models import LEASE_MINUTES, Filling, OptionOrder
from annotation.studies import consent_texts
from annotation.studies.build import build_study
from annotation.tasktypes import registry
from common.console import text
from common.wording import counted
from retrieval.models import CandidateJob

SETTINGS = ("filling", "quota", "ask_confidence", "ask_basis", "rate", "currency")


def amount(text: str) -> Decimal:
    """Read an amount of money. Raises `ValueError`, as argparse expects."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError from None


class Command(BaseCommand):
    help = "Make a draft study with an item for each excerpt of a finished candidate job."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="short name of the new study: letters, digits, hyphens")
        made = [slug for slug, task in registry.all_types().items() if task.from_candidates]
        parser.add_argument("--task", default=made[0], help=f"task type (default: {made[0]})")
        parser.add_argument("--job", type=int, required=True, help="number of a finished candidate job")
        parser.add_argument(
            "--beyond",
            type=int,
            metavar="RANK",
            help="only excerpts whose passage the job ranked beyond RANK (RELiC's second study: 1000, "
            "of a job made with --unmatched all)",
        )
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
        parser.add_argument(
            "--filling",
            choices=Filling.values,
            default=Filling.DEPTH.value,
            help="order of the items (depth)",
        )
        parser.add_argument("--lease", type=int, default=LEASE_MINUTES, help="minutes an item is kept (120)")
        parser.add_argument("--quota", type=int, help="at most so many items a reader")
        parser.add_argument("--ask-confidence", action="store_true", help="ask how sure the reader is")
        parser.add_argument("--ask-basis", action="store_true", help="ask: recognised, worked out or guessed")
        parser.add_argument("--rate", type=amount, help="paid for each item; needs --currency")
        parser.add_argument("--currency", default="", help="such as EUR")
        parser.add_argument("--consent", metavar="FILE", help="what readers agree to, as UTF-8 text")
        parser.add_argument(
            "--on-withdrawal", choices=["keep", "drop"], default="keep", help="what becomes of judgments"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        by, guidelines = named_user(options["researcher"]), text(options["guidelines"])
        consent = text(options["consent"])
        if (options["rate"] is None) != (not options["currency"]):
            raise CommandError(
                "A rate needs its currency, and a currency its rate: give --rate and --currency."
            )
        job = CandidateJob.objects.select_related("book").filter(pk=options["job"]).first()
        title = options["title"] or (f"{job.book.title} and its critics" if job else options["study"])
        with in_one_sentence(), bar("excerpt") as progress, transaction.atomic():
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
                lease_minutes=options["lease"],
                progress=progress,
                beyond=options["beyond"],
                **{name: options[name] for name in SETTINGS},
            )
            if consent:
                keeps = options["on_withdrawal"] == "keep"
                consent_texts.revise(built.study, consent, keeps=keeps, seen=0, by=by)
        self.stdout.write(f"Built “{built.study.slug}”, a draft with {counted(built.items, 'item')}.")
        for reason, number in built.left_out.most_common():
            self.stdout.write(f"  left out, {reason}: {number:,}")
        self.stdout.write(f"Invite annotators with: manage.py invite {built.study.slug}")

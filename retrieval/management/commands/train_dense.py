"""`manage.py train_dense --books a,b,c --validate d --name N`: train two encoders on critics' quotations."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.errors import BadInput
from retrieval.candidates.parameters import RANGES as JOB_RANGES
from retrieval.engine.dense.settings import CHOICES, RANGES
from retrieval.engine.training.recipe import MIXING, Recipe
from retrieval.management.following import follow
from retrieval.models import Status, TrainingJob
from retrieval.training import plan as training_plan
from retrieval.training import run
from retrieval.training.plan import PAPER, Plan


def slugs(text: str) -> tuple[str, ...]:
    """Read `emma,persuasion` as slugs, each once."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def context(text: str) -> tuple[int, int]:
    """Read `4/4` as sentences left and right."""
    left, _, right = text.partition("/")
    lowest, highest = JOB_RANGES["left"]
    for each in (left, right):
        if not each.isdigit() or not lowest <= int(each) <= highest:
            raise ArgumentTypeError(f"{text!r} is not L/R, such as 4/4, each from {lowest} to {highest}.")
    return int(left), int(right)


class Command(BaseCommand):
    help = "Train a context and a quotation encoder; the same command again goes on where it stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--books", type=slugs, required=True, help="books to learn from: a,b,c")
        parser.add_argument("--validate", type=slugs, required=True, help="other books, to know when to stop")
        parser.add_argument("--test", type=slugs, default=(), help="further books, read once at the end")
        parser.add_argument("--name", required=True, help="what the checkpoint is called")
        parser.add_argument(
            "--from", dest="start", default="", metavar="CHECKPOINT", help="default: a toy of random weights"
        )
        parser.add_argument("--epochs", type=int, default=PAPER.epochs, help="at most (default: %(default)s)")
        parser.add_argument("--batch", type=int, default=PAPER.batch, help="quotations a step (default: 100)")
        parser.add_argument("--rate", type=float, help="of Adam (default: 1e-5; of a toy 1e-3)")
        parser.add_argument("--scale", type=float, help="of scores (default: 1; of cosine 20)")
        parser.add_argument("--patience", type=int, default=PAPER.patience, help="epochs (default: 2)")
        parser.add_argument("--warmup", type=int, default=0, help="steps to the full rate (default: 0)")
        parser.add_argument("--seed", type=int, default=0)
        self.add_material(parser)
        parser.add_argument(
            "--sub-batch",
            type=int,
            default=0,
            metavar="N",
            help="encode N texts at a time and cache gradients, for steps larger than memory",
        )
        parser.add_argument("--pad", action="store_true", help="pad to the limits, as the paper's code does")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name}", choices=choices, help="default: that of --from")
        for name in RANGES:
            parser.add_argument(f"--{name.replace('_', '-')}", type=int)

    def add_material(self, parser: CommandParser) -> None:
        """Add the options that say what is learned from each book."""
        parser.add_argument(
            "--context",
            type=context,
            action="append",
            metavar="L/R",
            help="sentences left and right (default: 4/4); may be repeated",
        )
        parser.add_argument(
            "--mixing",
            choices=MIXING,
            default=PAPER.mixing,
            help="of several contexts an epoch uses each, or one drawn for each quotation (default: each)",
        )
        parser.add_argument(
            "--mask-overlaps",
            action="store_true",
            help="passages that overlap the right one are no negatives",
        )
        parser.add_argument(
            "--negatives-from", type=int, nargs="+", default=[], metavar="JOB", help="hard negatives of jobs"
        )
        parser.add_argument(
            "--cloze", type=int, default=0, metavar="N", help="learn N sentences of each book in its own text"
        )
        parser.add_argument(
            "--no-quotations", action="store_true", help="learn those sentences alone, nothing of critics"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            job = training_plan.submit_or_resume(self.plan(options))
        except BadInput as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{job}.")
        try:
            follow(job, run.attempt, self.stderr.write)
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. Whole epochs are kept: a worker goes on after the last of them, and so does the "
                "same command.",
                returncode=130,
            ) from None
        self.tell(job)

    def tell(self, job: TrainingJob) -> None:
        """Print what the training came to."""
        if job.status == Status.FAILED:
            raise CommandError(job.error)
        if job.status == Status.CANCELLED or job.made is None:
            raise CommandError(f"Training {job.pk} was cancelled; the same command goes on with it.")
        for epoch in job.curve:
            best = " (best)" if epoch["number"] == job.made.card["best_epoch"] else ""
            losses = f"loss {epoch['loss']:.4f}, validation {epoch['validation']:.4f}"
            self.stdout.write(f"Epoch {epoch['number']}: {losses}{best}")
        if tested := job.made.card.get("test"):
            share = f"{tested['first']:,} of {tested['pairs']:,} first in their step"
            self.stdout.write(f"Test: loss {tested['loss']:.4f}, {share} (chance {tested['chance']:.1%})")
        self.stdout.write(f"Checkpoint {job.made}, sha256 {job.made.sha256}, in {job.made.place}.")
        self.stdout.write(
            f"Rank with it: manage.py generate --book … --ranker dense --set checkpoint={job.made.slug}"
        )

    def plan(self, options: dict[str, Any]) -> Plan:
        """Return the plan that the options ask for."""
        given = {name: options[name] for name in (*CHOICES, *RANGES, "rate", "scale")}
        settings, rates = training_plan.encoder_settings(options["start"], given)
        recipe = Recipe(
            batch=options["batch"],
            epochs=options["epochs"],
            patience=options["patience"],
            warmup=options["warmup"],
            seed=options["seed"],
            mask_overlaps=options["mask_overlaps"],
            hard_negatives=bool(options["negatives_from"]),
            grouped=not options["pad"],
            sub_batch=options["sub_batch"],
            mixing=options["mixing"],
            **rates,
        )
        return Plan(
            options["name"],
            options["books"],
            options["validate"],
            options["test"],
            options["start"],
            tuple(options["context"] or [(4, 4)]),
            tuple(options["negatives_from"]),
            options["cloze"],
            not options["no_quotations"],
            settings,
            recipe,
        )

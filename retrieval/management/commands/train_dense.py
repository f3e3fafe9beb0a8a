"""`manage.py train_dense --books a,b,c --validate d --name N`: train two encoders on critics' quotations."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from retrieval import checkpoints, dense_training
from retrieval.dense_training import Plan
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import CHOICES, RANGES, checked
from retrieval.engine.errors import BadInput
from retrieval.parameters import RANGES as JOB_RANGES

PAPER = Recipe()
COSINE_SCALE = 20.0
TOY: dict[str, Any] = {"pooling": "mean", "similarity": "cosine", "rate": 1e-3}
"""Random weights learn nothing at the paper's rate; these are the defaults without --from."""


def slugs(text: str) -> tuple[str, ...]:
    """`emma,persuasion`."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def context(text: str) -> tuple[int, int]:
    """`4/4`: sentences left and right."""
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
        parser.add_argument(
            "--context",
            type=context,
            action="append",
            metavar="L/R",
            help="sentences left and right (default: 4/4); may be repeated",
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
        parser.add_argument("--pad", action="store_true", help="pad to the limits, as the paper's code does")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name}", choices=choices, help="default: that of --from")
        for name in RANGES:
            parser.add_argument(f"--{name.replace('_', '-')}", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            plan = self.plan(options)
            with tqdm(disable=None, unit="step") as bar:
                made = dense_training.train(plan, report=_Shown(bar))
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. Whole epochs are kept: the same command goes on after the last of them.",
                returncode=130,
            ) from None
        for epoch in made.card["curve"]:
            best = " (best)" if epoch["number"] == made.card["best_epoch"] else ""
            losses = f"loss {epoch['loss']:.4f}, validation {epoch['validation']:.4f}"
            self.stdout.write(f"Epoch {epoch['number']}: {losses}{best}")
        self.stdout.write(f"Checkpoint {made}, sha256 {made.sha256}, in {made.folder}.")
        self.stdout.write(
            f"Rank with it: manage.py generate --book … --ranker dense --set checkpoint={made.slug}"
        )

    def plan(self, options: dict[str, Any]) -> Plan:
        given = {name: options[name] for name in (*CHOICES, *RANGES, "rate", "scale")}
        begun = checkpoints.find(options["start"]).settings if options["start"] else TOY
        told = {**begun, **{name: value for name, value in given.items() if value is not None}}
        told.setdefault("scale", COSINE_SCALE if told.get("similarity") == "cosine" else PAPER.scale)
        recipe = Recipe(
            batch=options["batch"],
            epochs=options["epochs"],
            rate=told.pop("rate", PAPER.rate),
            scale=told.pop("scale"),
            patience=options["patience"],
            warmup=options["warmup"],
            seed=options["seed"],
            mask_overlaps=options["mask_overlaps"],
            hard_negatives=bool(options["negatives_from"]),
            grouped=not options["pad"],
        )
        return Plan(
            options["name"],
            options["books"],
            options["validate"],
            options["start"],
            tuple(options["context"] or [(4, 4)]),
            tuple(options["negatives_from"]),
            max(0, options["cloze"]),
            checked(told),
            recipe,
        )


class _Shown:
    """The bar of an epoch after the other."""

    def __init__(self, bar: tqdm[Any]) -> None:
        self._bar = bar

    def __call__(self, epoch: int, step: int, steps: int, loss: float) -> None:
        if step == 1:
            self._bar.reset(total=steps)
        self._bar.set_description_str(f"Epoch {epoch}, loss {loss:.3f}", refresh=False)
        self._bar.update()

"""Choose BM25's k1 and b on validation excerpts."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from common.errors import BadInput
from evaluation.management.commands.report import resamples
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.gold_ranks import MEASURES
from evaluation.ranking.bm25_tuning import K1, OBJECTIVE, B, Tuning, tune
from evaluation.ranking.tuning_formats import FORMATS
from retrieval.management.named import named
from retrieval.models import Book, Excerpt

MOST_VALUES = 1000


def steps(text: str) -> tuple[float, ...]:
    """`0.1:2.0:0.1` (from, to and with, by), or `0.5,0.9,1.2`."""
    try:
        if ":" not in text:
            return tuple(float(each) for each in text.split(","))
        first, last, by = (float(each) for each in text.split(":"))
        number = int(round((last - first) / by, 6)) + 1
        if by <= 0 or not 1 <= number <= MOST_VALUES:
            raise ValueError
        return tuple(round(first + place * by, 10) for place in range(number))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ArgumentTypeError(
            f"{text!r} is neither FROM:TO:BY, such as 0.1:2.0:0.1, nor 0.5,0.9."
        ) from None


class Command(BaseCommand):
    help = "Try every k1 and b of a grid on validation excerpts and say which ranks their passages best."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--book", action="append", required=True, help="slug; may be repeated")
        parser.add_argument("--source", action="append", help="only excerpts of this source; may be repeated")
        parser.add_argument("--size", type=int, help="only gold passages of so many sentences (default: all)")
        parser.add_argument("--left", type=int, default=4, choices=range(5), help="default: 4")
        parser.add_argument("--right", type=int, default=4, choices=range(5), help="default: 4")
        parser.add_argument("--k1", type=steps, default=K1, metavar="GRID", help="default: 0.1:2.0:0.1")
        parser.add_argument("--b", type=steps, default=B, metavar="GRID", help="default: 0.1:1.0:0.1")
        parser.add_argument(
            "--objective", default=OBJECTIVE, choices=[each.slug for each in MEASURES], help="default: mrr"
        )
        parser.add_argument("--seed", type=int, default=0, help="of the intervals (default: 0)")
        parser.add_argument("--resamples", type=resamples, default=RESAMPLES, help="default: %(default)s")
        parser.add_argument("--format", choices=FORMATS, default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] < 0:
            raise CommandError(f"The seed is {options['seed']}; it must be 0 or more.")
        try:
            found = self.tuned(options)
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was changed.", returncode=130) from None
        self.stdout.write(FORMATS[options["format"]].render(found), ending="")

    def tuned(self, options: dict[str, Any]) -> Tuning:
        excerpts = Excerpt.objects.in_use().filter(book__in=[named(Book, slug) for slug in options["book"]])
        if options["source"]:
            excerpts = excerpts.filter(source__slug__in=options["source"])
        if options["size"] is not None:
            excerpts = excerpts.filter(size=options["size"])
        with tqdm(disable=None, unit="setting", leave=False) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            names = ("k1", "b", "objective", "left", "right", "seed", "resamples")
            return tune(excerpts, progress=progress, **{name: options[name] for name in names})

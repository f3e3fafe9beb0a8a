"""Choose BM25's k1 and b on validation excerpts."""

from __future__ import annotations

import csv
import io
import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from common.errors import BadInput
from common.tables.text import aligned
from evaluation.management.commands.report import resamples
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.gold_ranks import MEASURES, RankMeasure
from evaluation.ranking.bm25_tuning import K1, OBJECTIVE, B, Tried, Tuning, tune
from evaluation.ranking.formats import probability
from evaluation.values.wording import NONE, digits
from retrieval.management.commands.generate import known_book
from retrieval.models import Excerpt

SHOWN = 10
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
        parser.add_argument("--format", choices=("table", "json", "csv"), default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] < 0:
            raise CommandError(f"The seed is {options['seed']}; it must be 0 or more.")
        try:
            found = self.tuned(options)
        except BadInput as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was changed.", returncode=130) from None
        render = {"table": table, "json": as_json, "csv": as_csv}[options["format"]]
        self.stdout.write(render(found), ending="")

    def tuned(self, options: dict[str, Any]) -> Tuning:
        excerpts = Excerpt.objects.in_use().filter(book__in=[known_book(slug) for slug in options["book"]])
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


def table(found: Tuning) -> str:
    """The best settings, the defaults, and whether the difference is more than luck."""
    measures = [each.measure for each in found.best.estimates]
    head = ["", "k1", "b", *(each.label for each in measures)]
    rows = [_cells(str(place), each) for place, each in enumerate(found.tried[:SHOWN], 1)]
    books = f"{found.n_books:,} book{'s' if found.n_books > 1 else ''}"
    lines = [
        f"{len(found.tried):,} settings on {found.n_queries:,} excerpts of {books}, "
        f"by {found.objective.label}. Shares in percent.",
        "",
        *aligned([head, *rows, _cells("default", found.default)]),
        "",
        _verdict(found),
        "The best of a grid looks better on the excerpts it was chosen on than it is: report it on others.",
    ]
    return "\n".join(lines) + "\n"


def _cells(name: str, each: Tried) -> list[str]:
    values = [
        worded(one.measure, one.mean.value) if one.mean.value is not None else NONE for one in each.estimates
    ]
    return [name, f"{each.setting.k1:g}", f"{each.setting.b:g}", *values]


def _verdict(found: Tuning) -> str:
    best, each = found.best.setting, found.difference
    if each is None:
        return f"Best is the default, k1 {best.k1:g} and b {best.b:g}."
    within = ""
    if each.low is not None and each.high is not None:
        within = f" [{worded(found.objective, each.low)}, {worded(found.objective, each.high)}]"
    return (
        f"Best is k1 {best.k1:g} and b {best.b:g}: {worded(found.objective, each.difference)}{within} "
        f"from the default in {found.objective.label}, p {probability(each.p)} ({each.test}; not corrected "
        f"for the choice among {len(found.tried):,})."
    )


def worded(measure: RankMeasure, value: float) -> str:
    """A share in percent with two digits, a rank with one."""
    return digits(100 * value, 2) if measure.share else digits(value, 1)


def _data(each: Tried) -> dict[str, Any]:
    numbers = {one.measure.slug: one.mean.value for one in each.estimates}
    return {"k1": each.setting.k1, "b": each.setting.b, **numbers}


def as_json(found: Tuning) -> str:
    """The whole grid, best first."""
    data = {
        "objective": found.objective.slug,
        "n_queries": found.n_queries,
        "n_books": found.n_books,
        "seed": found.seed,
        "resamples": found.resamples,
        "best": _data(found.best),
        "default": _data(found.default),
        "difference": found.difference._asdict() if found.difference else None,
        "grid": [_data(each) for each in found.tried],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def as_csv(found: Tuning) -> str:
    """One row a setting, best first."""
    out = io.StringIO()
    rows = [_data(each) for each in found.tried]
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()

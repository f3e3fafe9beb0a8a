"""A study's current judgments as arrays: a few queries, however large the study.

Counted are items of kind *work* and readers whose role is annotator: practice and check items train or watch
readers, and an adjudicator's label is a layer above what readers said independently.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from django.db.models import Case, F, IntegerField, QuerySet, Value, When
from django.db.models.functions import Cast, Coalesce, Round

from annotation.models import Judgment, Kind, Outcome, Role, Study
from evaluation.columns import Inside, Joined, Length
from evaluation.metrics.table import BoolArray, FloatArray, IntArray

OUTCOMES = tuple(Outcome.values)


class Unreadable(ValueError):
    """The study's items or answers cannot be brought into one table. One sentence says which."""


class Reader(NamedTuple):
    """An annotator of the study, whether or not anything was judged yet.

    ``outcomes``: current judgments by outcome; ``median_seconds``: of active seconds of the current answers
    that have a time.
    """

    key: int
    pseudonym: str
    simulated: bool
    outcomes: Counter[str]
    median_seconds: float | None = None

    @property
    def judged(self) -> int:
        """Current judgments of whatever outcome."""
        return self.outcomes.total()


def _no_items() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """What was read of a study: its readers, answers on each work item (N,), and q, 0 where there is none."""

    readers: list[Reader] = field(default_factory=list)
    sizes: IntArray = field(default_factory=_no_items)
    options: int = 0

    @property
    def n_items(self) -> int:
        return len(self.sizes)


class Orders(NamedTuple):
    """The orders in which options were shown: all behind one another, where each begins (M,), its length."""

    flat: IntArray
    begin: IntArray
    size: IntArray

    @classmethod
    def of(cls, flat: IntArray, size: IntArray, kept: BoolArray) -> Orders:
        return cls(flat, (np.cumsum(size) - size)[kept], size[kept])

    def places(self, which: IntArray, options: IntArray, q: int) -> tuple[IntArray, BoolArray]:
        """Of the judgments ``which`` (W,): where ``options`` (W,) stood, and whether all q were shown."""
        whole = self.size[which] == q
        begin = np.where(whole, self.begin[which], 0)
        padded = np.pad(self.flat, (0, q))
        shown = padded[begin[:, None] + np.arange(q)]
        whole &= (np.sort(shown, axis=1) == np.arange(q)).all(axis=1)
        return np.argmax(shown == options[:, None], axis=1).astype(np.int64), whole


@dataclass(frozen=True, eq=False)
class Rows:
    """Current judgments, (M,) each: item and reader by index, outcome as its place in OUTCOMES, and the
    whole numbers that were asked for of the answer, -1 where it has none; ``orders`` where asked for."""

    item: IntArray
    reader: IntArray
    outcome: IntArray
    parts: tuple[IntArray, ...]
    orders: Orders | None = None

    @property
    def answered(self) -> BoolArray:
        return np.asarray(self.outcome == OUTCOMES.index(Outcome.ANSWER))

    def sizes(self, n_items: int) -> IntArray:
        """(N,) answers on each item."""
        return np.bincount(self.item[self.answered], minlength=n_items).astype(np.int64, copy=False)


def work_items(study: Study) -> QuerySet[Any]:
    return study.items.filter(kind=Kind.WORK).order_by("number")


def current(study: Study) -> QuerySet[Judgment]:
    return Judgment.objects.current().filter(assignment__study=study).order_by()


def read_readers(study: Study) -> list[Reader]:
    """The annotators in the order in which they joined."""
    rows = study.enrolments.filter(role=Role.ANNOTATOR).order_by("id")
    return [Reader(*row, Counter()) for row in rows.values_list("pk", "pseudonym", "simulated")]


def read_items(study: Study, **parts: Any) -> dict[str, IntArray]:
    """Whole numbers of every work item, (N,) each in the order of the items' numbers; ``keys`` among them.

    ``parts``: expressions on an item that are whole numbers or NULL, which becomes -1.
    """
    found = (
        work_items(study)
        .order_by()
        .aggregate(
            keys=Joined("pk"),
            numbers=Joined("number"),
            **{name: Joined(Coalesce(part, -1)) for name, part in parts.items()},
        )
    )
    columns = {name: numbers(found[name]) for name in found}
    order = np.argsort(columns["numbers"])
    return {name: column[order] for name, column in columns.items()}


def read_rows(
    study: Study, items: IntArray, readers: list[Reader], *parts: Any, orders: bool = False
) -> tuple[Rows, list[Reader]]:
    """Current judgments on ``items`` (N,) (primary keys) by ``readers``, and the readers with their counts.

    ``parts``: expressions on a judgment that are whole numbers or NULL; ``orders``: with what was shown.
    """
    wanted: dict[str, Any] = {f"part_{number}": Coalesce(part, -1) for number, part in enumerate(parts)}
    if orders:
        wanted |= {"orders": Inside("order"), "order_sizes": Coalesce(Length("order"), 0)}
    codes = [When(outcome=name, then=Value(number)) for number, name in enumerate(OUTCOMES)]
    found = current(study).aggregate(
        item=Joined("assignment__item_id"),
        reader=Joined("annotator_id"),
        outcome=Joined(Case(*codes, output_field=IntegerField())),
        milliseconds=Joined(Cast(Coalesce(Round(F("active_seconds") * 1000), -1.0), IntegerField())),
        program=Joined(Case(When(door="simulation", then=1), default=0, output_field=IntegerField())),
        **{name: Joined(part) for name, part in wanted.items()},
    )
    item, known = _indexed(numbers(found["item"]), items)
    reader, enrolled = _indexed(numbers(found["reader"]), np.array([each.key for each in readers], np.int64))
    kept = known & enrolled
    order = None
    if orders:
        order = Orders.of(numbers(found["orders"]), numbers(found["order_sizes"]), kept)
    rows = Rows(
        item[kept],
        reader[kept],
        numbers(found["outcome"])[kept],
        tuple(numbers(found[f"part_{number}"])[kept] for number in range(len(parts))),
        order,
    )
    times = numbers(found["milliseconds"])[kept]
    seconds = np.where(times < 0, np.nan, times / 1000)
    return rows, tallied(readers, rows, seconds, numbers(found["program"])[kept] == 1)


def tallied(readers: list[Reader], rows: Rows, seconds: FloatArray, programs: BoolArray) -> list[Reader]:
    """The readers with what they judged. A reader is simulated who was enrolled so, or came by that door."""
    counts = np.bincount(
        rows.reader * len(OUTCOMES) + rows.outcome, minlength=len(readers) * len(OUTCOMES)
    ).reshape(-1, len(OUTCOMES))
    by_door = np.bincount(rows.reader[programs], minlength=len(readers)) > 0
    timed = rows.answered & ~np.isnan(seconds)
    order = np.argsort(rows.reader[timed], kind="stable")
    ends = np.cumsum(np.bincount(rows.reader[timed], minlength=len(readers)))[:-1]
    times = np.split(seconds[timed][order], ends) if readers else []
    return [
        each._replace(
            outcomes=Counter({name: int(n) for name, n in zip(OUTCOMES, counts[who], strict=True) if n}),
            simulated=each.simulated or bool(by_door[who]),
            median_seconds=float(np.median(times[who])) if len(times[who]) else None,
        )
        for who, each in enumerate(readers)
    ]


def _indexed(wanted: IntArray, known: IntArray) -> tuple[IntArray, BoolArray]:
    """The place of each key among ``known``, and whether it has one."""
    if not len(known):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return order[at], np.asarray(known[order][at] == wanted)


def numbers(text: str | None) -> IntArray:
    """What ``Joined`` made of whole numbers. Raises Unreadable for anything else."""
    try:
        with catch_warnings():
            simplefilter("error")
            return np.fromstring(text or "0", dtype=np.int64, sep=",")[: None if text else 0]
    except (ValueError, DeprecationWarning) as error:
        odd = next(each for each in (text or "").split(",") if not each.strip().lstrip("-").isdecimal())
        raise Unreadable(f"An answer holds {odd!r} where a whole number must stand.") from error

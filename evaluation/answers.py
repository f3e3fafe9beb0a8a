"""A study's current judgments as arrays: a few queries, however large the study.

Counted are items of kind *work* and readers whose role is annotator: practice and check items train or watch
readers, and an adjudicator's label is a layer above what readers said independently.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.models import Judgment, Kind, Outcome, Role, Study
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


@dataclass(frozen=True, eq=False)
class Rows:
    """Current judgments, (M,) each: item and reader by index, outcome as its place in OUTCOMES, and the
    whole numbers that were asked for of the answer, -1 where it has none."""

    item: IntArray
    reader: IntArray
    outcome: IntArray
    parts: tuple[IntArray, ...]

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


def read_rows(study: Study, items: IntArray, readers: list[Reader], *parts: Any) -> tuple[Rows, list[Reader]]:
    """Current judgments on ``items`` (N,) (primary keys) by ``readers``, and the readers with their counts.

    ``parts``: expressions on a judgment that are whole numbers or NULL.
    """
    names = [f"part_{number}" for number in range(len(parts))]
    asked = current(study).annotate(**dict(zip(names, parts, strict=True)))
    found = list(
        asked.values_list("assignment__item_id", "annotator_id", *names, "outcome", "active_seconds", "door")
    )
    columns = list(zip(*found, strict=True)) or [()] * (5 + len(parts))
    item, known = _indexed(columns[0], items)
    reader, enrolled = _indexed(columns[1], np.array([each.key for each in readers], dtype=np.int64))
    kept = known & enrolled
    codes = {name: number for number, name in enumerate(OUTCOMES)}
    rows = Rows(
        item[kept],
        reader[kept],
        _whole([codes[each] for each in columns[-3]])[kept],
        tuple(_whole(column)[kept] for column in columns[2:-3]),
    )
    seconds = np.array(columns[-2], dtype=np.float64)[kept]
    programs = np.array([door == "simulation" for door in columns[-1]], dtype=np.bool_)[kept]
    return rows, tallied(readers, rows, seconds, programs)


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


def _indexed(keys: Any, known: IntArray) -> tuple[IntArray, BoolArray]:
    """The place of each key among ``known``, and whether it has one."""
    wanted = _whole(keys)
    if not len(known):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return order[at], np.asarray(known[order][at] == wanted)


def _whole(values: Any) -> IntArray:
    """A column of whole numbers, -1 for NULL. Raises Unreadable for anything else."""
    try:
        return np.fromiter(
            (-1 if value is None else value for value in values), dtype=np.int64, count=len(values)
        )
    except (TypeError, ValueError) as error:
        odd = next(value for value in values if value is not None and not isinstance(value, int))
        raise Unreadable(f"An answer holds {odd!r} where a whole number must stand.") from error

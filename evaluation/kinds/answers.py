"""A study's current judgments as arrays: a few queries, however large the study.

Counted are items of kind *work* and readers whose role is annotator: practice and check items train or watch
readers, and an adjudicator's label is a layer above what readers said independently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef

from annotation.models import SAID, Item, Judgment, Kind, Outcome, Role, Study
from annotation.models.work import ItemQuerySet
from evaluation.kinds.columns import Grouped, Unreadable
from evaluation.metrics.common.dominance import Dominant, dominant
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray

OUTCOMES = tuple(each.value for each in SAID)


class AsOf(NamedTuple):
    """What had been answered at a moment, on some items.

    ``items`` (N,): their primary keys; ``moment``: judgments until then, revisions that came later aside.
    """

    items: IntArray
    moment: datetime


class Reader(NamedTuple):
    """An annotator of the study, whether or not anything was judged yet.

    ``key``: primary key of the enrolment.
    ``pseudonym``: the only name that is printed.
    ``simulated``: whether it is a program.
    ``outcomes``: current judgments by outcome.
    ``median_seconds``: of active seconds of the current answers that have a time; None without any.
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


class Rows(NamedTuple):
    """Current judgments, (M,) each.

    ``item``: its place among the work items.
    ``reader``: its place among the readers.
    ``outcome``: its place in OUTCOMES.
    ``parts``: the columns of numbers that were asked for, -1 where a judgment has none.
    """

    item: IntArray
    reader: IntArray
    outcome: IntArray
    parts: tuple[IntArray, ...]

    @property
    def answered(self) -> BoolArray:
        return np.asarray(self.outcome == OUTCOMES.index(Outcome.ANSWER))

    def only(self, which: BoolArray) -> Rows:
        """The judgments where ``which`` (M,) is true."""
        if which.all():
            return self
        item, reader, outcome, parts = self
        return Rows(item[which], reader[which], outcome[which], tuple(part[which] for part in parts))

    def sizes(self, n_items: int) -> IntArray:
        """(N,) answers on each item."""
        return np.bincount(self.item[self.answered], minlength=n_items).astype(np.int64, copy=False)


def _no_rows() -> Rows:
    return Rows(_no_items(), _no_items(), _no_items(), ())


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """What was read of a study; a kind adds what only its answers have.

    ``readers``: its annotators.
    ``keys`` (N,): primary keys of its work items.
    ``numbers`` (N,): the same as pages number them.
    ``sizes`` (N,): answers on each.
    ``options``: q, 0 where there is none.
    ``rows``: the current judgments.
    ``n_topics``: topics with an answer, where intervals are over topics; 0 where they are over items.
    ``n_compared``: of these, topics with an item that has two answers or more: agreement is of these alone.
    """

    readers: list[Reader] = field(default_factory=list)
    keys: IntArray = field(default_factory=_no_items)
    numbers: IntArray = field(default_factory=_no_items)
    sizes: IntArray = field(default_factory=_no_items)
    options: int = 0
    rows: Rows = field(default_factory=_no_rows)
    n_topics: int = 0
    n_compared: int = 0

    @property
    def n_items(self) -> int:
        return len(self.sizes)

    @property
    def topics_of_intervals(self) -> int:
        """Topics over which intervals of agreement are; 0 where they are over items."""
        return self.n_compared or self.n_topics


def work_items(study: Study) -> ItemQuerySet:
    """The items that numbers are about: work, and of each the version that was not replaced."""
    return study.items.filter(kind=Kind.WORK, retired=None).order_by("number")


def same_options(numbers: IntArray, categories: IntArray, differ: str) -> int:
    """q, the same on every item; 0 without items.

    ``numbers``, ``categories`` (N,): of the items, as pages number them, and how many each has, -1 where
    chance is no choice among so many. Raises Unreadable where items differ: ``differ`` with the least q, the
    greatest, and at most five of the items that have the rarest.
    """
    sizes, times = np.unique(np.maximum(categories, 0), return_counts=True)
    if len(sizes) < 2:
        return int(sizes[0]) if len(sizes) else 0
    odd = int(sizes[np.argmin(times)])
    places = numbers[np.maximum(categories, 0) == odd].tolist()
    named = ", ".join(str(number) for number in places[:5]) + (" …" if len(places) > 5 else "")
    raise Unreadable(differ.format(sizes[0], sizes[-1], f"item {named}: {odd}"))


def drawn_items(study: Study) -> IntArray:
    """Primary keys of the work items whose canonical order of options was drawn here."""
    return np.fromiter(work_items(study).drawn().order_by().values_list("pk", flat=True), dtype=np.int64)


def n_retired(study: Study) -> int:
    """Items that another version stands for: their judgments stay with them and enter no number.

    What was left out before the study opened is none of them: nobody has read it.
    """
    # Asked of the retired alone: a join would look through the items of all studies.
    replaced = Exists(Item.objects.filter(replaces=OuterRef("pk")))
    return study.items.filter(replaced, kind=Kind.WORK, retired__isnull=False).count()


def read_readers(study: Study) -> list[Reader]:
    """The annotators in the order in which they joined."""
    rows = study.enrolments.filter(role=Role.ANNOTATOR).order_by("id")
    return [Reader(*row, Counter()) for row in rows.values_list("pk", "pseudonym", "simulated")]


def read_items(study: Study, *names: str, few: Sequence[str] = ()) -> dict[str, IntArray]:
    """Columns of every work item, (N,) each in the order of the items' numbers, -1 where an item has none.

    ``names`` and ``few``: whole-numbered fields, few those with few values; ``id`` and ``number`` are always
    among them.
    """
    asked = ("id", "number", *names)
    found = Grouped(work_items(study), ("kind", *few), asked)
    columns = {name: found.column(name) for name in asked} | {name: found.few(name) for name in few}
    order = np.argsort(columns["number"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def read_rows(
    readers: list[Reader],
    items: IntArray,
    *names: str,
    few: Sequence[str] = (),
    as_of: AsOf | None = None,
) -> tuple[Rows, list[Reader]]:
    """Current judgments on ``items`` (N,) (primary keys) by ``readers``, and the readers with their counts.

    ``names``, and ``few`` behind them: whole-numbered fields of a judgment, the rows' ``parts``, ``few``
    those with few values. ``as_of``: those that were current then, on some of the items.
    """
    current = Judgment.objects.current_of((each.key for each in readers), as_of and as_of.moment)
    found = Grouped(current, ("annotator", "outcome", "channel", *few), ("item", "milliseconds", *names))
    item, known = places(found.column("item"), items)
    if as_of is not None:
        known &= np.isin(items, as_of.items)[item]
    at = {each.key: number for number, each in enumerate(readers)}
    rows = Rows(
        item,
        found.repeated(at[group["annotator"]] for group in found.groups),
        found.repeated(OUTCOMES.index(group["outcome"]) for group in found.groups),
        (*map(found.column, names), *map(found.few, few)),
    )
    return rows.only(known), _told(readers, at, found, known)


def _told(readers: list[Reader], at: dict[int, int], found: Grouped, known: BoolArray) -> list[Reader]:
    """The readers with what they judged, of which ``known`` (M,) counts."""
    milliseconds, tallies = found.column("milliseconds"), [Tally() for _ in readers]
    for group, end in zip(found.groups, np.cumsum(found.sizes).tolist(), strict=True):
        own = slice(end - group["n"], end)
        times = milliseconds[own][known[own]]
        tallies[at[group["annotator"]]].add(group["outcome"], group["channel"], times)
    return [tally.told(each) for tally, each in zip(tallies, readers, strict=True)]


@dataclass
class Tally:
    """What one reader judged. A reader is simulated who was enrolled so, or answered by that channel.

    ``outcomes``: current judgments by outcome.
    ``times``: active milliseconds of the answers that have a time, an array for each group of rows.
    ``program``: whether an answer came by the channel of simulations.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    times: list[IntArray] = field(default_factory=list)
    program: bool = False

    def add(self, outcome: str, channel: str, milliseconds: IntArray) -> None:
        if not len(milliseconds):
            return
        self.outcomes[outcome] += len(milliseconds)
        self.program |= channel == "simulation"
        if outcome == Outcome.ANSWER:
            self.times.append(milliseconds[milliseconds >= 0])

    def told(self, reader: Reader) -> Reader:
        times = np.concatenate([_no_items(), *self.times]) / 1000
        return reader._replace(
            outcomes=self.outcomes,
            simulated=reader.simulated or self.program,
            median_seconds=float(np.median(times)) if len(times) else None,
        )


def places(wanted: IntArray, known: IntArray) -> tuple[IntArray, BoolArray]:
    """(M,) the place of each key among ``known``, and whether it has one."""
    if not len(known):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    least, most = int(known.min()), int(known.max())
    if most - least > 4 * len(known) + 65536:
        order = np.argsort(known)
        at = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)]
    else:
        # Items made together have keys in a row: a list of their places is read faster than it is searched.
        place = np.zeros(most - least + 1, dtype=np.int64)
        place[known - least] = np.arange(len(known))
        at = place[np.clip(wanted, least, most) - least]
    return at, np.asarray(known[at] == wanted)


def heaviest(numbers: IntArray, weights: IntArray | FloatArray) -> Dominant | None:
    """The item that has much of the weight (N,) of all, by its number; None without one."""
    found = dominant(weights)
    return found._replace(item=int(numbers[found.item])) if found else None

"""Readers who mark any number of spans in a passage, as a plan imagines them.

An item has spans of its own in a passage of L tokens: 1 and a Poisson number more, each with a rounded gamma
length of one token or more, at a place drawn evenly. For each of them by itself a reader marks it or, with
probability e, another span instead, drawn as the item's own were. Spans that meet become one. What a reader
marks has the same distribution for every e, so that chance stays what it is; e is found so that the mean
overlap of two readers, tokens in both over tokens in either, is the one typed in.

The population is 4,000 items (1,000 of the longest passages) drawn with a fixed seed, in which reports' own
measures are computed, each with what an item adds to its variance (`pilot`).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.spans.item_sums import ItemSums
from evaluation.metrics.spans.units.table import UnitTable, tabulate_units, unit_sums

POPULATION, SEED = 4_000, 20190607
LONGEST_PASSAGE = 1_000
MOST_READ = 20_000
"""Tokens of an item in all its readings."""
_STEPS = 14


class SeveralPlan(NamedTuple):
    """The population: ``sums`` of its items, and ``astray``, e, the share of spans marked elsewhere."""

    sums: ItemSums
    astray: float


class _Drawn(NamedTuple):
    """Spans, (k + 1, S) each: in row 0 the items' own, in the others what readers mark when they go astray.

    ``item`` (S,): the item of each; ``start``, ``end`` (k + 1, S); ``chance`` (k, S): what decides.
    """

    item: IntArray
    start: IntArray
    end: IntArray
    chance: FloatArray
    n_items: int
    passage: int

    def marks(self, reader: int, astray: float) -> BoolArray:
        """(N, L) which tokens a reader marks."""
        gone = self.chance[reader] < astray
        start = np.where(gone, self.start[reader + 1], self.start[0])
        end = np.where(gone, self.end[reader + 1], self.end[0])
        steps = np.zeros((self.n_items, self.passage + 1), dtype=np.int16)
        np.add.at(steps, (self.item, start), 1)
        np.add.at(steps, (self.item, end), -1)
        return np.asarray(np.cumsum(steps, axis=1, dtype=np.int16)[:, :-1] > 0)


@lru_cache(maxsize=16)
def several_plan(
    overlap: float, spans: float, length: float, deviation: float, passage: int, readers: int
) -> SeveralPlan:
    """The model of readers whose answers overlap so much.

    ``overlap``: mean O of two readers, in (0, 1); ``spans``: mean number in an answer, 1 or more; ``length``,
    ``deviation``: of one span, in tokens; ``passage``: L; ``readers``: k >= 2. Raises ValueError for numbers
    out of range, for spans that fill the passage, and for an overlap below what readers who mark at random
    have, naming it.
    """
    if not 0 < overlap < 1 or spans < 1 or length < 1 or deviation <= 0 or readers < 2:
        raise ValueError(
            "Overlap must lie between 0 and 1, an answer have one span or more, of one word or more and of "
            "lengths that vary, and 2 readers or more mark each item."
        )
    check_passage(spans, length, passage, readers)
    drawn = _draw(spans, length, deviation, passage, readers)
    least = _overlap(drawn, 1.0)
    if overlap < least:
        raise ValueError(
            f"{spans:g} spans of {length:g} ± {deviation:g} words in passages of {passage:,} overlap by "
            f"{least:.2f} when they are marked at random: give more than that, or other lengths."
        )
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _overlap(drawn, middle) > overlap else (low, middle)
    return SeveralPlan(unit_sums(_table(drawn, low)), low)


def several_marked(
    plan: SeveralPlan, spans: float, length: float, deviation: float, passage: int, readers: int, seed: int
) -> UnitTable:
    """Another population of the same model, to try what the plan promises."""
    return _table(_draw(spans, length, deviation, passage, readers, seed), plan.astray)


def check_passage(spans: float, length: float, passage: int, readers: int) -> None:
    """Raise ValueError for a passage that is too long for the model, or that the spans would fill."""
    if passage > LONGEST_PASSAGE or readers * passage > MOST_READ:
        raise ValueError(f"Passages of {passage:,} words read by {readers} are too many for the model.")
    if spans * length > passage / 2:
        raise ValueError(
            f"{spans:g} spans of {length:g} words fill more than half of {passage:,}: give longer passages."
        )


def _draw(
    spans: float, length: float, deviation: float, passage: int, readers: int, seed: int = SEED
) -> _Drawn:
    generator = np.random.default_rng(seed)
    n_items = min(POPULATION, max(POPULATION // 4, POPULATION * 100 // passage))
    item = np.repeat(np.arange(n_items), 1 + generator.poisson(spans - 1, n_items))
    shape = (readers + 1, len(item))
    extent = np.rint(generator.gamma((length / deviation) ** 2, deviation**2 / length, shape))
    extent = np.clip(extent, 1, passage).astype(np.int64)
    start = np.floor(generator.random(shape) * (passage - extent + 1)).astype(np.int64)
    return _Drawn(item, start, start + extent, generator.random((readers, len(item))), n_items, passage)


def _overlap(drawn: _Drawn, astray: float) -> float:
    """Mean O over pairs of readers and items."""
    marks = [_packed(drawn.marks(reader, astray)) for reader in range(len(drawn.chance))]
    sizes = [_counted(each) for each in marks]
    found = list[float]()
    for (one, n_one), (other, n_other) in combinations(zip(marks, sizes, strict=True), 2):
        both = _counted(one & other)
        found.append(float((both / (n_one + n_other - both)).mean()))
    return float(np.mean(found))


def _packed(marks: BoolArray) -> NDArray[np.uint64]:
    """(N, L / 64) the same, 64 tokens in a number: many readers are very many pairs."""
    packed = np.packbits(marks, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)


def _counted(marks: NDArray[np.uint64]) -> IntArray:
    """(N,) tokens."""
    return np.asarray(np.bitwise_count(marks).sum(axis=1, dtype=np.int64))


def _table(drawn: _Drawn, astray: float) -> UnitTable:
    """The population's answers, item by item, as reports tabulate them."""
    readers = len(drawn.chance)
    marks = np.stack([drawn.marks(reader, astray) for reader in range(readers)], axis=1)
    edges = np.diff(np.pad(marks.reshape(-1, drawn.passage).astype(np.int8), ((0, 0), (1, 1))), axis=1)
    answer, start = np.nonzero(edges == 1)
    _, end = np.nonzero(edges == -1)
    return tabulate_units(
        np.repeat(np.arange(drawn.n_items), readers),
        np.tile(np.arange(readers), drawn.n_items),
        np.bincount(answer, minlength=drawn.n_items * readers),
        start,
        end,
        np.full(drawn.n_items, drawn.passage),
    )

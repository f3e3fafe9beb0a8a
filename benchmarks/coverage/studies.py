"""Thousands of studies at once: values, jackknife errors and intervals of one measure.

A study of N items is a draw with replacement from a population of items, so the population's own value is the
true one, without a simulation error. Studies are rows of weights over the population's distinct items, and
the statistic that computes a report takes all rows at once; leaving an item out is one weight less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from evaluation.metrics.common.jackknife import LEVEL, Intervals, intervals
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.chance.shapes import overlap_with
from evaluation.metrics.spans.item_sums import SpanMeasure, Sums, item_sums
from evaluation.metrics.spans.table import SpanTable
from evaluation.metrics.spans.units.table import UnitTable, unit_sums


class Studies(NamedTuple):
    """B studies of one size: ``measure``, its ``true`` value, and of each study (B,) value and jackknife
    error, NaN where there is none, and the items that enter; ``sample``: a sample of the kind."""

    measure: MeasureOf[Any]
    true: float
    values: FloatArray
    errors: FloatArray
    entering: IntArray
    n_items: int
    sample: Any

    def intervals(self, level: float = LEVEL) -> Intervals:
        """As reports print them."""
        return intervals(self.measure, self.sample, self.values, self.errors, self.entering, level)


class Population(Protocol):
    def studies(self, n_items: int, n_studies: int, seed: int) -> Iterator[Studies]:
        """Studies of that many items, for each measure in turn; deterministic."""


class ByWeights:
    """A population of rows that weigh: patterns of choices and grades, or ratings."""

    def __init__(self, sample: Any, measures: tuple[MeasureOf[Any], ...]) -> None:
        self.sample, self.measures = sample, measures

    def draw(self, n_items: int, n_studies: int, seed: int) -> FloatArray:
        """(B, P) how many items of each row each study has."""
        shares = self.sample.items / self.sample.n_items
        drawn = np.random.default_rng(seed).multinomial(n_items, shares, size=n_studies)
        return drawn.astype(np.float64)

    def studies(self, n_items: int, n_studies: int, seed: int) -> Iterator[Studies]:
        weights = self.draw(n_items, n_studies, seed)
        for one in self.measures:
            true = one.value(self.sample)
            if true is not None:
                values = one.statistic(self.sample, weights)
                entering = weights @ one.enters(self.sample)
                errors = self._errors(one, weights)
                yield Studies(one, true, values, errors, entering, n_items, self.sample)

    def _errors(self, one: MeasureOf[Any], weights: FloatArray) -> FloatArray:
        """(B,) over the items that enter. Squares are taken round the study's value, which moves no sum of
        squares round the mean."""
        entering = weights * one.enters(self.sample)
        n = entering.sum(axis=1)
        whole = one.statistic(self.sample, weights)
        total, squares = np.zeros(len(weights)), np.zeros(len(weights))
        for row in np.flatnonzero(entering.any(axis=0)):
            has = entering[:, row] > 0
            fewer = weights[has]
            fewer[:, row] -= 1
            moved = one.statistic(self.sample, fewer) - whole[has]
            total[has] += entering[has, row] * moved
            squares[has] += entering[has, row] * moved**2
        with np.errstate(invalid="ignore"):
            found = np.sqrt(np.maximum((n - 1) / n * (squares - total**2 / n), 0.0))
        return np.where(found < 1e-9, 0.0, found)


class BySpans:
    """A population of items with spans: measures are functions of sums over items."""

    def __init__(self, table: SpanTable, measures: tuple[SpanMeasure, ...]) -> None:
        self.items, self.measures = item_sums(table), measures
        self.apart = self._apart()

    def studies(self, n_items: int, n_studies: int, seed: int) -> Iterator[Studies]:
        drawn = np.random.default_rng(seed).integers(0, self.items.n_items, (n_studies, n_items))
        each = self.items.adds[drawn]
        chance = np.stack([self.apart[rows[:, None], rows].sum(axis=1) for rows in drawn])
        whole = Sums._make([*each.sum(axis=1).T, chance.sum(axis=1)])
        rest = (each.sum(axis=1, keepdims=True) - each).reshape(n_studies * n_items, -1)
        own = chance.sum(axis=1, keepdims=True) - 2 * chance + self.apart[drawn, drawn]
        fewer = Sums._make([*rest.T, own.ravel()])
        for one in self.measures:
            left_out = one.of(fewer).reshape(n_studies, n_items)
            errors = np.sqrt(n_items - 1) * left_out.std(axis=1)
            true = float(one.of(self.endless())[0])
            entering = np.full(n_studies, n_items)
            yield Studies(one, true, one.of(whole), errors, entering, n_items, self.items)

    def endless(self, times: float = 1e6) -> Sums:
        """The population many times over, so that what depends on n - 1 is what it tends to."""
        sums = self.items.whole
        return Sums._make([*(times * each for each in sums[:-1]), times**2 * sums.chance_apart])

    def _apart(self) -> FloatArray:
        """(P, P) 1 - O summed over the pairs of a span of one item and a span of another."""
        shapes = len(self.items.shapes.left)
        per_item = np.zeros((self.items.n_items, shapes))
        np.add.at(per_item, (self.items.row, self.items.shapes.code), 1.0)
        return np.asarray(per_item @ (1.0 - overlap_with(self.items.shapes, np.eye(shapes))) @ per_item.T)


class ByUnits(BySpans):
    """A population of items with several spans an answer, whose measures do not ask how far items differ."""

    def __init__(self, table: UnitTable, measures: tuple[SpanMeasure, ...]) -> None:
        self.items, self.measures = unit_sums(table), measures
        self.apart = np.broadcast_to(np.float64(0), (self.items.n_items, self.items.n_items))

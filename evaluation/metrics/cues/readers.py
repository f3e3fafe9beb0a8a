"""Readers who never read: each looks at one mark of the surface, and one at all of them together.

A reader of one mark takes the option that has most, or least, of it; where several are equal in it, one of
them by lot, so that an item counts as right by the chance of taking its gold. Nothing is fitted to the golds.
The reader of all marks is a logistic model, fitted to other items than those it is tried on.

**Against chance.** Where nothing on the surface tells, gold stands among the q options by lot, whatever they
look like. A reader who ends with t equal options then has a share of 1/t with probability t/q, else 0: `p`
is the share of redrawn golds that lie as far from chance as what was found, on either side, since a mark
that gold avoids tells as much. p is adjusted for the number of readers by Holm's method.

The model learns from golds, so its own are redrawn before it is fitted (`model.by_lot`). Its p is the share
of these that are right as often or oftener: what it takes is what it learned to be right, and a model below
chance has learned nothing. Its interval is as much wider as its number of right items varies more by lot than
that of a reader who learns nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.jackknife import (
    LEVEL,
    LOGIT,
    SAME,
    WILSON,
    WILSON_OF_EQUAL,
    Interval,
    limits,
    wilson,
)
from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.cues.model import EQUAL, FEWEST, by_lot, cross_validated
from evaluation.metrics.cues.surface import Surface
from evaluation.metrics.nominal.table import FloatArray, IntArray

DRAWS = 9_999
FITS = 999
"""Redrawn golds to which the model is fitted."""
TELLS = 0.05
WIDENED = ", widened for what its fits share"


class SurfaceReader(NamedTuple):
    """A reader of one mark.

    slug: its name in files.
    sees: the mark, in words.
    takes: which option, in words.
    score: (N, q) of the surface; the option with the largest is taken.
    """

    slug: str
    sees: str
    takes: str
    score: Callable[[Surface], FloatArray]


def _middle(surface: Surface) -> FloatArray:
    """0 for options of the median length of their item, less for others."""
    length = surface.length
    return np.asarray(-np.abs(length - np.median(length, axis=1, keepdims=True)))


READERS = (
    SurfaceReader("shortest", "length", "the shortest", lambda found: -found.length),
    SurfaceReader("longest", "length", "the longest", lambda found: found.length),
    SurfaceReader("middle", "length", "the one of middle length", _middle),
    SurfaceReader("lower_case", "case", "one that begins with a small letter", lambda found: found.lower),
    SurfaceReader("capital", "case", "one that begins with a capital", lambda found: -found.lower),
    SurfaceReader("quoted", "opening mark", "one that opens with a quotation mark", lambda f: f.quoted),
    SurfaceReader(
        "unquoted", "opening mark", "one that opens without a quotation mark", lambda found: -found.quoted
    ),
    SurfaceReader("most_marks", "punctuation", "the one with most marks a word", lambda found: found.marks),
    SurfaceReader(
        "fewest_marks", "punctuation", "the one with fewest marks a word", lambda found: -found.marks
    ),
    SurfaceReader("whole", "punctuation", "one that ends as a sentence does", lambda found: found.whole),
    SurfaceReader("broken_off", "punctuation", "one that ends in mid-sentence", lambda found: -found.whole),
    SurfaceReader("first", "position", "the first in stored order", lambda found: -found.place),
    SurfaceReader("last", "position", "the last in stored order", lambda found: found.place),
    SurfaceReader(
        "most_shared", "context", "the one with most words of the context", lambda found: found.shared
    ),
    SurfaceReader(
        "least_shared",
        "context",
        "the one with fewest words of the context",
        lambda found: -found.shared,
    ),
    SurfaceReader("most_used", "frequency", "the one that most items offer", lambda found: found.used),
    SurfaceReader("least_used", "frequency", "the one that fewest items offer", lambda found: -found.used),
)
ALL_MARKS = "all"


class CueResult(NamedTuple):
    """How often one reader of the surface is right.

    slug, sees, takes: of the reader.
    value: the share of items it is right on, 0 to 1; None where the reader could not be made.
    low, high: the interval over items; ``method`` names it.
    p: that gold by lot lies as far from chance, not adjusted; ``adjusted``: by Holm's method.
    decided: items on which the mark leaves fewer than all q options.
    """

    slug: str
    sees: str
    takes: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    p: float | None
    adjusted: float | None
    decided: int

    def tells(self, chance: float) -> bool:
        """Whether this reader is right more often than chance, beyond doubt at 5 % after adjustment."""
        return self.adjusted is not None and self.adjusted < TELLS and (self.value or 0.0) > chance

    def avoided(self, chance: float) -> bool:
        """Whether gold avoids what this reader takes, beyond doubt at 5 % after adjustment."""
        return self.adjusted is not None and self.adjusted < TELLS and (self.value or 0.0) < chance


def audit(found: Surface, seed: int, level: float = LEVEL) -> tuple[CueResult, ...]:
    """Try every reader on the items; deterministic in the surface and ``seed``."""
    rows = [_tried(one.slug, one.sees, one.takes, one.score(found), found, seed, level) for one in READERS]
    every = "what a model of them takes"
    if len(found.gold) >= FEWEST:
        rows.append(_modelled(found, every, seed, level))
    else:
        rows.append(CueResult(ALL_MARKS, "all of these", every, None, None, None, "", None, None, 0))
    tested = [row.p for row in rows if row.p is not None]
    adjusted = iter(holm(tested))
    return tuple(row if row.p is None else row._replace(adjusted=next(adjusted)) for row in rows)


def shares(scores: FloatArray, gold: IntArray) -> tuple[FloatArray, IntArray]:
    """(N,) the chance that a reader who takes the largest of ``scores`` (N, q) takes gold, and how many are
    equally large."""
    top = scores >= scores.max(axis=1, keepdims=True) - EQUAL
    ties = top.sum(axis=1)
    return top[np.arange(len(gold)), gold] / ties, ties.astype(np.int64)


def chance_p(right: FloatArray, ties: IntArray, q: int, seed: int, draws: int = DRAWS) -> float:
    """Compute the two-sided p of ``sum(right)``, were gold drawn among the q options of each item.

    Items with t equal options are right by 1/t with probability t/q: their number is binomial. The redrawn
    golds and the one found count together: (1 + as far) / (1 + draws).
    """
    generator = np.random.default_rng(seed)
    sums = np.zeros(draws)
    for t, items in zip(*np.unique(ties, return_counts=True), strict=True):
        sums += generator.binomial(int(items), int(t) / q, size=draws) / int(t)
    expected = len(right) / q
    as_far = np.abs(sums - expected) >= abs(float(right.sum()) - expected) - EQUAL * max(1, len(right))
    return float((1 + as_far.sum()) / (1 + draws))


def _tried(
    slug: str, sees: str, takes: str, scores: FloatArray, found: Surface, seed: int, level: float
) -> CueResult:
    q = scores.shape[1]
    right, ties = shares(scores, found.gold)
    decided = int((ties < q).sum())
    if not decided:
        return CueResult(slug, sees, takes, 1 / q, None, None, "", None, None, 0)
    interval = interval_of_shares(right, level)
    p = chance_p(right, ties, q, seed)
    return CueResult(
        slug, sees, takes, float(right.mean()), interval.low, interval.high, interval.method, p, None, decided
    )


def _modelled(found: Surface, takes: str, seed: int, level: float) -> CueResult:
    """The model of all marks, tried on items it was not fitted to."""
    scores = cross_validated(found, seed)
    row = _tried(ALL_MARKS, "all of these", takes, scores, found, seed, level)
    if not row.decided:
        return row
    q = scores.shape[1]
    right, ties = shares(scores, found.gold)
    lots = by_lot(found, seed, FITS)
    independent = float((1 / (q * ties) - 1 / q**2).sum())
    more = max(1.0, float(((lots - len(right) / q) ** 2).mean()) / independent)
    interval = interval_of_shares(right, level, more)
    p = float((1 + (lots >= right.sum() - EQUAL * len(right)).sum()) / (1 + FITS))
    return row._replace(low=interval.low, high=interval.high, method=interval.method + WIDENED, p=p)


def interval_of_shares(right: FloatArray, level: float = LEVEL, more: float = 1.0) -> Interval:
    """The interval of the mean of ``right`` (N,), values from 0 to 1, N >= 2, as measures have it.

    The jackknife error of a mean is its standard error: t on the logit scale; Wilson's where every value is 0
    or 1, or all are equal. ``more``: how many times the variance is that of independent items.
    """
    mean, n_items = float(right.mean()), len(right)
    error, independent = float(right.std(ddof=1)) * np.sqrt(more / n_items), n_items / more
    if error <= SAME:
        return Interval(*wilson(mean * independent, independent, level), WILSON_OF_EQUAL)
    if np.isin(right, (0, 1)).all():
        return Interval(*wilson(mean * independent, independent, level), WILSON)
    low, high = limits(np.array([mean]), np.array([error]), np.array([n_items]), LOGIT, level)
    return Interval(float(low[0]), float(high[0]), LOGIT)

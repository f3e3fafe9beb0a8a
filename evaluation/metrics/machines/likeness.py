"""How alike two sets of answers are: a mean over items, and whether one of two readers is nearer to a third.

A likeness lies between 0 and 1: for one option or grade it is 1 where both are equal, for spans the overlap
of their tokens, for a rubric the share of equal questions. Where all are 0 or 1 and items come without
topics the interval is Wilson's, else the jackknife's over topics or items on the logit scale.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.clusters import OVER_ITEMS, OVER_TOPICS
from evaluation.metrics.common.intervals import LEVEL, wilson
from evaluation.metrics.common.jackknife import LOGIT, SAME, WILSON, WILSON_OF_EQUAL, limits
from evaluation.metrics.common.mcnemar import holm, mcnemar_exact
from evaluation.metrics.common.paired import sign_flip
from evaluation.metrics.nominal.table import FloatArray


class MeanLikeness(NamedTuple):
    """A mean over answers to items.

    ``value``: None without any.
    ``low``, ``high``: its interval, None without one; ``method``: how it was made.
    ``n``: answers compared.
    ``n_items``: items they are of.
    """

    value: float | None
    low: float | None
    high: float | None
    method: str
    n: int
    n_items: int


NOTHING = MeanLikeness(None, None, None, "", 0, 0)


def mean_likeness(
    values: ArrayLike, item: ArrayLike, topic: ArrayLike | None = None, level: float = LEVEL
) -> MeanLikeness:
    """The mean of ``values`` (M,), 0 to 1, with its interval over items, or over topics where there are any.

    ``item`` (M,): the item of each; ``topic`` (M,): its topic, None where items have none.
    """
    x, items = np.asarray(values, dtype=np.float64), np.asarray(item, dtype=np.int64)
    if not len(x):
        return NOTHING
    n_items, value = len(np.unique(items)), float(x.mean())
    over = items if topic is None else np.asarray(topic, dtype=np.int64)
    _, cluster = np.unique(over, return_inverse=True)
    sizes = np.bincount(cluster.ravel())
    plain = topic is None and n_items == len(x) and bool(np.isin(x, (0, 1)).all())
    if plain:
        low, high = wilson(float(x.sum()), len(x), level)
        return MeanLikeness(value, low, high, WILSON, len(x), n_items)
    if np.ptp(x) <= SAME:
        low, high = wilson(value * len(sizes), len(sizes), level)
        return MeanLikeness(value, low, high, _named(WILSON_OF_EQUAL, topic), len(x), n_items)
    if len(sizes) < 2:
        return MeanLikeness(value, None, None, "", len(x), n_items)
    sums = np.bincount(cluster.ravel(), x)
    without = (x.sum() - sums) / np.maximum(1, len(x) - sizes)
    error = np.sqrt((len(sizes) - 1) / len(sizes) * ((without - without.mean()) ** 2).sum())
    if not 0 < value < 1 or error <= SAME:
        return MeanLikeness(value, None, None, "", len(x), n_items)
    ends = limits(np.array([value]), np.array([error]), np.array([len(sizes)]), LOGIT, level)
    return MeanLikeness(value, float(ends[0][0]), float(ends[1][0]), _named(LOGIT, topic), len(x), n_items)


def _named(method: str, topic: ArrayLike | None) -> str:
    return method if topic is None else method.replace(OVER_ITEMS, OVER_TOPICS)


class Compared(NamedTuple):
    """A machine and a reader on the same items, each against the same third answer.

    ``machine``, ``reader``: their mean likeness to it.
    ``difference``: the machine's minus the reader's; ``only_machine``, ``only_reader``: items on which one of
    them alone is nearer.
    ``p``: McNemar's, exact, where both are right or wrong, else of the sign-flip test; ``p_holm``: adjusted
    for all comparisons of a table; ``test``: which it was.
    ``n_items``: items compared.
    """

    machine: float
    reader: float
    difference: float
    only_machine: int
    only_reader: int
    p: float
    p_holm: float
    test: str
    n_items: int


def compared(machine: ArrayLike, reader: ArrayLike, seed: int) -> Compared | None:
    """Compare two likenesses (N,) to one third answer an item; None without items. p is not adjusted yet."""
    ours, theirs = np.asarray(machine, dtype=np.float64), np.asarray(reader, dtype=np.float64)
    if not len(ours):
        return None
    if np.isin(ours, (0, 1)).all() and np.isin(theirs, (0, 1)).all():
        p, test = mcnemar_exact(ours, theirs), "McNemar, exact"
    else:
        flipped = sign_flip(ours, theirs, seed)
        p = flipped.p
        test = "sign-flip, exact" if flipped.exact else f"sign-flip, {flipped.signings:,} draws"
    nearer, further = int((ours > theirs + SAME).sum()), int((theirs > ours + SAME).sum())
    difference = float((ours - theirs).mean())
    return Compared(
        float(ours.mean()), float(theirs.mean()), difference, nearer, further, p, p, test, len(ours)
    )


def corrected(found: list[Compared]) -> list[Compared]:
    """The comparisons of one table with p adjusted by Holm's method, in the same order."""
    adjusted = holm([each.p for each in found])
    return [each._replace(p_holm=p) for each, p in zip(found, adjusted, strict=True)]


def shares(counts: ArrayLike) -> FloatArray:
    """Rows of a table (q, q) as shares of the row, 0 where it is empty."""
    table = np.asarray(counts, dtype=np.float64)
    return np.asarray(table / np.maximum(1, table.sum(axis=1, keepdims=True)), dtype=np.float64)

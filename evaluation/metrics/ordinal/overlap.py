"""How far annotators call the same documents relevant: |A ∩ B| / |A ∪ B| of their relevant documents.

Relevant is a grade of the level or more. Only what all annotators in question graded is compared, so that a
document one of them never saw counts for neither. It is no κ: chance is not taken off, and an overlap of .45
is κ .58 where a tenth is relevant, and .24 where half is.

Voorhees, E. M. (2000). Variations in relevance judgments and the measurement of retrieval effectiveness.
Information Processing and Management 36(5).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.measure import MeasureOf, ratio
from evaluation.metrics.common.pairwise_kappa import MOST_PAIRS_OF_ANSWERS, PairMeasure, paired
from evaluation.metrics.common.ratings import Ratings
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, distinct
from evaluation.metrics.ranking.graded import default_level

_Group = tuple[tuple[int, ...], IntArray, IntArray]
"""Annotators, the topic of each of their common items (N,), and their grades (N, K)."""


class Overlap(NamedTuple):
    """The relevant documents of some annotators laid over each other.

    ``annotators``: whose, by index.
    ``n_items``: items that all of them graded.
    ``n_common``, ``n_any``: of these, relevant to all of them, and to any.
    ``overlap``: n_common / n_any; None where nothing is relevant to anybody.
    ``by_topic``: mean over topics of the same quotient, as Voorhees prints it; None without such a topic.
    ``n_topics``: topics with an item that is relevant to any of them.
    ``relevant``: share of their grades that are relevant.
    ``kappa``: Cohen κ of relevant or not; None of more than two annotators, and where chance is 1.
    """

    annotators: tuple[int, ...]
    n_items: int
    n_common: int
    n_any: int
    overlap: float | None
    by_topic: float | None
    n_topics: int
    relevant: float
    kappa: float | None


def overlap_at(level: int, *, usual: bool = True) -> PairMeasure:
    """The overlap over all pairs of annotators in one ratio: what both call relevant over what either does.

    ``usual``: whether it is the level of the report; another one has its level in its name.
    """
    if level < 1:
        raise ValueError(f"The level of relevance must be 1 or more, not {level}.")

    def statistic(ratings: Ratings, weights: FloatArray) -> FloatArray:
        if not ratings.n_pairs:
            return np.full(len(weights), np.nan)
        cells = ratings.pairs
        counts = cells.counts(weights)
        one, other = cells.a >= level, cells.b >= level
        return ratio(counts @ (one & other).astype(np.float64), counts @ (one | other).astype(np.float64))

    def nothing(ratings: Ratings) -> str | None:
        if not paired(ratings).any():
            return "No item has two judgments."
        if ratings.n_pairs > MOST_PAIRS_OF_ANSWERS:
            return f"The items have {ratings.n_pairs:,} pairs of answers, more than are compared one by one."
        several = paired(ratings)[ratings.row]
        if (ratings.answer[several] >= level).any():
            return None
        return "Nobody called any item of several readers relevant."

    return MeasureOf(
        slug="relevant_overlap" if usual else f"relevant_overlap_from_{level}",
        label="overlap of relevant sets" if usual else f"overlap of relevant sets, from grade {level}",
        definition="Of what at least one of two annotators called relevant, the share that both did; all "
        f"pairs of annotators in one ratio. Relevant: grade {level} or more.",
        formula="sum_p |A_p ∩ B_p| / sum_p |A_p ∪ B_p|, over the items that both graded",
        source="Voorhees 2000; there the mean over topics of one pair",
        range=(0.0, 1.0),
        statistic=statistic,
        enters=paired,
        undefined=nothing,
        data="relevance",
        chance="Not corrected for chance: it grows with the share of relevant documents.",
    )


RELEVANT_OVERLAP = overlap_at(default_level(4))
"""As it stands for grades 0 to 4; its definition names the level."""


def overlaps(
    item: ArrayLike, annotator: ArrayLike, topic: ArrayLike, grade: ArrayLike, *levels: int
) -> dict[int, tuple[Overlap, ...]]:
    """By level, the overlap of each two annotators with a common item, and of all together from three on.

    Judgments, parallel arrays (M,) of whole numbers from 0 on; ``topic``: of the item. All together are
    compared on the items that each of them graded; none where there is no such item. Nothing of more than
    2^24 pairs of answers. Raises ValueError for arrays of unequal length, and a level below 1.
    """
    for level in levels:
        if level < 1:
            raise ValueError(f"The level of relevance must be 1 or more, not {level}.")
    columns = [np.asarray(each, dtype=np.int64) for each in (item, annotator, topic, grade)]
    if len({each.shape for each in columns}) > 1 or columns[0].ndim != 1:
        raise ValueError("item, annotator, topic and grade must have one entry per judgment.")
    groups = list(_groups(*columns))
    return {
        level: tuple(_overlap(who, about, grades >= level) for who, about, grades in groups)
        for level in levels
    }


def _groups(item: IntArray, annotator: IntArray, topic: IntArray, grade: IntArray) -> Iterator[_Group]:
    """Each two annotators by ascending indices, then all."""
    order = np.argsort(item * (int(annotator.max(initial=0)) + 1) + annotator)
    items, who, about, grades = (each[order] for each in (item, annotator, topic, grade))
    starts = np.flatnonzero(np.diff(items, prepend=-1))
    sizes = np.diff(starts, append=len(items))
    if int((sizes * (sizes - 1) // 2).sum()) > MOST_PAIRS_OF_ANSWERS:
        return
    yield from _pairs(starts, sizes, who, about, grades)
    people = distinct(who)
    if len(people) > 2 and (sizes == len(people)).any():
        begin = starts[sizes == len(people)]
        yield tuple(people), about[begin], grades[begin[:, None] + np.arange(len(people))]


def _pairs(
    starts: IntArray, sizes: IntArray, who: IntArray, topic: IntArray, grade: IntArray
) -> Iterator[_Group]:
    """Each two annotators by ascending indices."""
    ones, others = [], []
    for size in distinct(sizes[sizes > 1]):
        left, right = np.triu_indices(size, 1)
        begin = starts[sizes == size][:, None]
        ones.append((begin + left).ravel())
        others.append((begin + right).ravel())
    if not ones:
        return
    one, other = np.concatenate(ones), np.concatenate(others)
    width = int(who.max()) + 1
    key = who[one] * width + who[other]
    order = np.argsort(key)
    one, other, key = one[order], other[order], key[order]
    for first, last in _stretches(key):
        left, right = one[first:last], other[first:last]
        yield divmod(int(key[first]), width), topic[left], np.column_stack([grade[left], grade[right]])


def _stretches(key: IntArray) -> Iterator[tuple[int, int]]:
    """From where to where equal keys stand behind one another."""
    begin = np.flatnonzero(np.diff(key, prepend=-1))
    yield from zip(begin.tolist(), [*begin[1:].tolist(), len(key)], strict=True)


def _overlap(annotators: tuple[int, ...], topic: IntArray, votes: BoolArray) -> Overlap:
    """``topic`` (N,), ``votes`` (N, K): whether each of K annotators calls each item relevant."""
    both, either = votes.all(axis=1), votes.any(axis=1)
    n_common, n_any = int(both.sum()), int(either.sum())
    common, any_of = np.bincount(topic, weights=both), np.bincount(topic, weights=either)
    shares = common[any_of > 0] / any_of[any_of > 0]
    return Overlap(
        annotators,
        len(topic),
        n_common,
        n_any,
        n_common / n_any if n_any else None,
        float(shares.mean()) if len(shares) else None,
        len(shares),
        float(votes.mean()),
        _kappa(votes) if len(annotators) == 2 else None,
    )


def _kappa(votes: BoolArray) -> float | None:
    """Cohen κ of two columns of votes (N, 2)."""
    one, other = votes.mean(axis=0).tolist()
    chance = one * other + (1 - one) * (1 - other)
    return None if chance == 1 else (float((votes[:, 0] == votes[:, 1]).mean()) - chance) / (1 - chance)

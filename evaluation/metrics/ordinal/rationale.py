"""Words that decided (rationales): whether readers who gave an item one grade marked the same of its words.

Readers who gave other grades may well have gone by other words, so only answers with one grade on one item
are compared, and of these only those in which something is marked. Such a group of answers takes the place
that an item has in the measures of several spans: overlap O = A / U, the words in both over those in either,
and Krippendorff's α for unitising, which asks how much more than chance they mark the same.

O is the "intersection over union" of tokens by which rationales are compared in DeYoung et al. 2020 (ERASER).
Two groups of one item, or of one topic, are not independent: intervals are over clusters of groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.clusters import clusters_of, over_clusters
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.item_sums import SpanMeasure
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.table import UnitTable, tabulate_units, unit_pairs, unit_sums

RATIONALE_OVERLAP: SpanMeasure = replace(
    OBSERVED_OVERLAP,
    slug="rationale_overlap",
    label="overlap of rationales",
    definition="Mean overlap of the words that two readers marked who gave an item the same grade: words in "
    "both over words in either.",
    formula="mean A / U over pairs with the same grade, both marked",
    source="DeYoung et al. 2020 (ERASER), intersection over union of tokens",
    data="rationales",
    chance="Not corrected for chance: in a short text much is marked twice by that alone.",
)
RATIONALE_ALPHA: SpanMeasure = replace(
    UNITISING_ALPHA,
    slug="rationale_alpha",
    label="α of rationales",
    definition="Krippendorff's α for unitising, of answers with the same grade on an item: how much more "
    "they mark the same words than marked and unmarked words would meet by chance.",
    data="rationales",
)
RATIONALE_MEASURES = (RATIONALE_OVERLAP, RATIONALE_ALPHA)


class Rationales(NamedTuple):
    """What readers marked beside their grades.

    ``estimates``: of `RATIONALE_MEASURES`, in their order.
    ``n_answers``, ``n_marked``, ``median_words`` (q,): of each grade its answers, those with something
        marked, and the median of their words, NaN without any.
    ``n_pairs``, ``overlap`` (q,): of each grade the pairs that are compared, and their mean overlap, NaN
        without any.
    """

    estimates: tuple[Estimate, ...]
    n_answers: IntArray
    n_marked: IntArray
    median_words: Sequence[float]
    n_pairs: IntArray
    overlap: Sequence[float]


def rationales(
    item: IntArray,
    reader: IntArray,
    grade: IntArray,
    spans: Sequence[Sequence[Sequence[int]]],
    length: IntArray,
    n_answers: IntArray,
    cluster: IntArray,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Rationales:
    """Compare what was marked. Deterministic in its arguments.

    ``item``, ``reader``, ``grade`` (M,): of each answer in which something is marked; ``spans`` (M,): what,
    [first, end) in words, in order. ``length`` (N,): words of each item; ``n_answers`` (q,): answers of each
    grade, with and without marks; ``cluster`` (N,): of each item, such as its topic. Raises ValueError for
    spans that do not fit their items.
    """
    q = len(n_answers)
    groups, group = np.unique(item * q + grade, return_inverse=True)
    of_item, of_grade = np.divmod(groups, q)
    borders = np.array([border for each in spans for span in each for border in span], dtype=np.int64)
    sizes = [len(each) for each in spans]
    table = tabulate_units(group.ravel(), reader, sizes, borders[::2], borders[1::2], length[of_item])
    pairs = unit_pairs(table)
    pair_grade = of_grade[pairs.item] if len(pairs.item) else np.zeros(0, dtype=np.int64)
    words = table.units.extent
    answer_grade = of_grade[table.hulls.item]
    return Rationales(
        _estimates(table, of_item, cluster, seed, resamples, level),
        n_answers,
        np.bincount(answer_grade, minlength=q).astype(np.int64),
        [_or_nan(np.median, words[answer_grade == one]) for one in range(q)],
        np.bincount(pair_grade, minlength=q).astype(np.int64),
        [_or_nan(np.mean, pairs.overlap[pair_grade == one]) for one in range(q)],
    )


def _estimates(
    table: UnitTable, of_item: IntArray, cluster: IntArray, seed: int, resamples: int, level: float
) -> tuple[Estimate, ...]:
    compared = table.hulls.sizes >= 2
    sums = unit_sums(table)
    row = np.where(compared, np.cumsum(compared) - 1, -1)
    clusters = clusters_of(row, cluster[of_item], sums.n_items)
    # Of one item two grades may be compared: it is one item.
    n_items = len(np.unique(of_item[compared]))
    return tuple(
        over_clusters(one, sums, clusters, seed, resamples, level)._replace(n_items=n_items)
        for one in RATIONALE_MEASURES
    )


def _or_nan(of: Callable[[FloatArray], np.floating[Any]], values: ArrayLike) -> float:
    found = np.asarray(values, dtype=np.float64)
    return float(of(found)) if len(found) else float("nan")

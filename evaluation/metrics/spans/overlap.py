"""The agreement of Manjavacas et al. (2019), by their formula, and the overlap it starts from.

    A = tokens in both spans, D = tokens in one of them, O = A / (A + D)           (equations 1 and 2)
    O_o = mean O,  O_e = sum A / (sum A + sum D),  κ = (O_o - O_e) / (1 - O_e)      (equations 3 and 4)

all over the same pairs of spans within items. O_e is therefore no chance level: exactly, κ = -Cov(U, O) /
mean D with U = A + D, so it says whether long spans overlap less than short ones. It is 0 for any overlap
that does not depend on length, 0/0 when all agree, and unbounded below. Read the chance-corrected
``span_alpha`` or ``placement_kappa`` beside it.

Manjavacas, E., Long, B. and Kestemont, M. (2019). On the feasibility of automated detection of allusive text
reuse. LaTeCH-CLfL, section 4.2. The paper's D_w in equation 3 is read as D_e.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evaluation.metrics.common.measure import chance_corrected, ratio, share
from evaluation.metrics.nominal.table import FloatArray, IntArray
from evaluation.metrics.spans.item_sums import ItemSums, Sums, span_measure
from evaluation.metrics.spans.table import Pairs

BINS = 20


def observed_overlap(sums: Sums) -> FloatArray:
    """(B,) O_o."""
    return ratio(sums.overlap, sums.pairs)


def paper_expected(sums: Sums) -> FloatArray:
    """(B,) the O_e of the paper."""
    return ratio(sums.shared, sums.union)


def lcs_overlap_kappa(sums: Sums) -> FloatArray:
    """(B,) κ of the paper."""
    return chance_corrected(observed_overlap(sums), paper_expected(sums))


def identical_pairs(sums: Sums) -> FloatArray:
    """(B,) share of pairs whose spans are the same."""
    return ratio(sums.identical, sums.pairs)


def no_pairs(items: ItemSums) -> str | None:
    """Why there is nothing to compare, or None."""
    return None if items.n_items else "No item has two spans."


def _undefined(items: ItemSums) -> str | None:
    if items.n_items == 0:
        return no_pairs(items)
    if (items.each.shared == items.each.union).all():
        return "Every pair of spans is identical: O_o and O_e are both 1, and (O_o - O_e) / (1 - O_e) is 0/0."
    return None


LCS_OVERLAP_KAPPA = span_measure(
    slug="lcs_overlap_kappa",
    label="LCS-overlap κ",
    definition="The paper's statistic: mean overlap of two spans on one item against the summed overlap of "
    "the same pairs; it says whether long spans overlap less than short ones, not agreement above chance.",
    formula="(O_o - O_e) / (1 - O_e), O_e = sum A / sum U over the same pairs",
    source="Manjavacas et al. 2019, section 4.2, equations 1 to 4",
    range=(-math.inf, 1.0),
    of=lcs_overlap_kappa,
    undefined=_undefined,
    chance="None: O_e is taken from the very pairs that are judged, so 0 does not mean chance.",
)

OBSERVED_OVERLAP = span_measure(
    slug="observed_overlap",
    label="O_o",
    definition="Mean overlap of two spans on one item: tokens in both over tokens in either.",
    formula="O_o = mean A / U",
    source="Manjavacas et al. 2019, equations 1 and 2",
    range=(0.0, 1.0),
    of=observed_overlap,
    undefined=no_pairs,
    proportion=share,
    chance="Not corrected for chance: short spans that share an anchor overlap much by that alone.",
)

IDENTICAL_PAIRS = span_measure(
    slug="identical_pairs",
    label="identical pairs",
    definition="Share of pairs of spans on one item that begin and end at the same tokens.",
    formula="mean [A = U]",
    source="Manjavacas et al. 2019, section 4.2 (22 % there)",
    range=(0.0, 1.0),
    of=identical_pairs,
    undefined=no_pairs,
    proportion=share,
    chance="Not corrected for chance.",
)


class OverlapDistribution(NamedTuple):
    """How much pairs of spans overlap: Figure 3 of the paper.

    ``edges`` (E + 1,), ``counts`` (E,): histogram of O, the last bin closed at 1.
    ``values`` (V,), ``cumulative`` (V,): O ascending, and the share of pairs with at most as much.
    ``n_pairs``: how many pairs there are.
    ``mean``: O_o, None without pairs.
    ``identical``: the share of pairs with O = 1, None without pairs.
    """

    edges: FloatArray
    counts: IntArray
    values: FloatArray
    cumulative: FloatArray
    n_pairs: int
    mean: float | None
    identical: float | None


def overlap_distribution(pairs: Pairs, bins: int = BINS) -> OverlapDistribution:
    """Histogram in ``bins`` equal bins of [0, 1] and cumulative curve of O over pairs."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    # A / U in whole numbers: an overlap of 3/10 belongs to the bin that begins at .3, whatever its float.
    which = np.minimum(pairs.shared * bins // np.maximum(pairs.union, 1), bins - 1)
    counts = np.bincount(which, minlength=bins).astype(np.int64, copy=False)
    values, often = np.unique(pairs.overlap, return_counts=True)
    n_pairs = len(pairs.item)
    if n_pairs == 0:
        return OverlapDistribution(edges, counts, values, np.zeros(0), 0, None, None)
    return OverlapDistribution(
        edges,
        counts,
        values,
        np.cumsum(often) / n_pairs,
        n_pairs,
        float(pairs.overlap.mean()),
        float(pairs.identical.mean()),
    )

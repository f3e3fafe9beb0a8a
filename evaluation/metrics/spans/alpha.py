"""Krippendorff's α for spans round a common anchor.

    α = 1 - D_o / D_e,  distance 1 - O (one minus the Jaccard index of tokens)
    D_o = sum over items of 2 sum_pairs (1 - O) / (k - 1) / n
    D_e = sum over all ordered pairs of spans of (1 - O) / (n (n - 1)), spans moved to a common anchor

Chance means: two different spans drawn from all n that stand on anchored items with two or more, whatever
their item, laid over each other at their anchors. The anchor's first token is the common point. D_e is exact:
a sum over pairs of distinct shapes (tokens left and right of the anchor), not a sample.

Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.common.measure import ratio
from evaluation.metrics.nominal.table import BoolArray, FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, Sums, span_measure


def span_alpha(sums: Sums) -> FloatArray:
    """(B,) α."""
    n = sums.anchored
    return np.asarray(1.0 - (n - 1) * ratio(sums.apart, sums.chance_apart))


def _anchored(items: ItemSums) -> BoolArray:
    return items.anchored


def _undefined(items: ItemSums) -> str | None:
    if not items.anchored.any():
        return "No item with two spans has an anchor: read placement_kappa."
    code = items.shapes.code
    if (code == code[0]).all():
        return "Every span reaches equally far round its anchor: without variation chance agreement is 1."
    return None


SPAN_ALPHA = span_measure(
    slug="span_alpha",
    label="span_alpha",
    definition="Krippendorff's α with the distance 1 - O, for items that have an anchor: how much more two "
    "spans on one item agree than two spans of any items laid over each other at their anchors.",
    formula="1 - D_o / D_e, distance 1 - A / U",
    source="Krippendorff 2011, with the overlap of Manjavacas et al. 2019 as distance",
    range=(-1.0, 1.0),
    of=span_alpha,
    enters=_anchored,
    undefined=_undefined,
    across=True,
    chance="Two different spans drawn from all on anchored items, laid over each other at their anchors.",
)

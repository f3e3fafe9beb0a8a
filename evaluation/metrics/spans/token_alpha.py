"""Krippendorff's nominal α on single tokens: inside the span or not.

    α = 1 - (n - 1) sum_i 2 D_i / (k_i - 1) / (2 n_in (n - n_in)),  n = sum_i k_i L_i

Chance means: two different in/out marks drawn from all tokens of all passages. Every token outside all spans
counts as an agreement, so the value grows with the length of the passage: compare it only between studies
with passages of the same length, which the report prints.

Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.common.measure import ratio
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, Sums, span_measure
from evaluation.metrics.spans.overlap import no_pairs


def token_alpha(sums: Sums) -> FloatArray:
    """(B,) α."""
    n = sums.tokens
    return np.asarray(1.0 - (n - 1) * ratio(sums.differing, 2 * sums.inside * (n - sums.inside)))


def _undefined(items: ItemSums) -> str | None:
    if items.n_items == 0:
        return no_pairs(items)
    if (items.each.inside == items.each.tokens).all():
        return "Every token is inside every span: without variation chance agreement is 1."
    return None


TOKEN_ALPHA = span_measure(
    slug="token_alpha",
    label="token_alpha",
    definition="Krippendorff's nominal α on every token of the passage, inside or outside; it grows with the "
    "length of the passage, because tokens that nobody marked count as agreement.",
    formula="1 - D_o / D_e, tokens inside or outside",
    source="Krippendorff 2011",
    range=(-1.0, 1.0),
    of=token_alpha,
    undefined=_undefined,
    chance="Two different inside-or-outside marks drawn from all tokens of all passages.",
)

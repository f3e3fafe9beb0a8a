"""Krippendorff's α for unitising: are the same parts of the passages marked? Any number of spans an answer.

    α = 1 - D_o / D_e
    D_o = sum over items of 2 D_i / (k_i - 1),  D_i: tokens in one answer and not in the other, over pairs
    D_e = 2 n n_in n_out / (n² - Q),  Q = sum over spans of (their length)² + n_out,  n = sum_i k_i L_i

This is the member |uα of the family uα, the one for spans without labels: units against gaps. Chance means:
two tokens drawn from all answers that do not belong to the same span, for a span is one decision and cannot
meet itself. Gaps are no decisions, and each of their tokens stands for itself. Passages are continua of their
own: only tokens of the same passage are compared, while n, n_in and n_out are added over them.

If every span is one token long, Q = n and the value is that of ``token_alpha``. Longer spans make it higher,
by (1 - token_alpha) (Q - n) / (n² - n): pairs within a span are alike, and without them more of the others
are unlike.

Krippendorff, K., Mathet, Y., Bouvry, S. and Widlöcher, A. (2016). On the reliability of unitizing textual
continua: further developments. Quality & Quantity 50, equations 1, 4 and 6; Krippendorff (2019), section
12.6.4. The coefficient of 1995 and 2004, which squares differences of borders, is another one.
"""

from __future__ import annotations

import numpy as np

from evaluation.metrics.common.measure import ratio
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, Sums, span_measure
from evaluation.metrics.spans.overlap import no_pairs


def unitising_alpha(sums: Sums) -> FloatArray:
    """(B,) α."""
    n, inside = sums.tokens, sums.inside
    outside = n - inside
    pairable = n**2 - sums.squares - outside
    return np.asarray(1.0 - sums.differing * ratio(pairable, 2 * n * inside * outside))


def _undefined(items: ItemSums) -> str | None:
    if items.n_items == 0:
        return no_pairs(items)
    if (items.each.inside == items.each.tokens).all():
        return "Every token is inside every answer: without gaps chance agreement is 1."
    return None


UNITISING_ALPHA = span_measure(
    slug="unitising_alpha",
    label="unitising α",
    definition="Krippendorff's α for unitising, |uα: how much more two answers on one item mark the same "
    "tokens than marked and unmarked tokens of all answers would meet by chance.",
    formula="1 - D_o / D_e, D_e = 2 n n_in n_out / (n² - Q), Q = sum of squared span lengths + n_out",
    source="Krippendorff, Mathet, Bouvry and Widlöcher 2016; Krippendorff 2019, section 12.6.4",
    range=(-1.0, 1.0),
    of=unitising_alpha,
    undefined=_undefined,
    data="units",
    chance="Two tokens drawn from all answers, marked or not, that do not belong to the same span.",
)

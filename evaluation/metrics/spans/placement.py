"""Agreement above two spans of the same lengths put anywhere in the passage.

    κ = (O_o - E) / (1 - E),  E = mean over the same pairs of the overlap of two spans of these lengths

Chance means: both annotators keep the length of their span and place it uniformly in the passage. That is a
fair guess where nothing says where to look. Where there is an anchor every span must contain it, which alone
forces overlap, so the value is then too friendly; ``span_alpha`` is the one to read.
"""

from __future__ import annotations

import math

from evaluation.metrics.common.measure import chance_corrected, ratio
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.item_sums import ItemSums, Sums, span_measure
from evaluation.metrics.spans.overlap import no_pairs, observed_overlap


def placement_kappa(sums: Sums) -> FloatArray:
    """(B,) κ."""
    return chance_corrected(observed_overlap(sums), ratio(sums.placed, sums.pairs))


def _undefined(items: ItemSums) -> str | None:
    if items.n_items == 0:
        return no_pairs(items)
    if (items.each.placed >= items.each.pairs).all():
        return "Every span covers its whole passage: there is one place to put it, and chance agreement is 1."
    return None


PLACEMENT_KAPPA = span_measure(
    slug="placement_kappa",
    label="placement_kappa",
    definition="Overlap above that of two spans of the same lengths placed anywhere in the passage; for "
    "tasks without an anchor, since an anchor forces overlap by itself.",
    formula="(O_o - E) / (1 - E), E = mean overlap over all placements",
    source="own; chance enumerated exactly, pair by pair",
    range=(-math.inf, 1.0),
    of=placement_kappa,
    undefined=_undefined,
    chance="Both spans keep their lengths and are placed uniformly in the passage.",
)

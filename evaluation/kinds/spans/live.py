"""Spans on the live page: overlap so far and readers beside each other."""

from __future__ import annotations

import numpy as np

from evaluation.kinds.spans.marked import Marked, against_gold, table_of
from evaluation.metrics.common.intervals import estimate
from evaluation.metrics.nominal.pairwise_agreement import AnnotatorAgreement
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.annotators import annotator_spans
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.table import pairs_of
from evaluation.values.live import Seen


def seen(marked: Marked, seed: int) -> Seen:
    table = table_of(marked)
    pairs = pairs_of(table)
    sums = item_sums(table, "pair", pairs)
    corrected = SPAN_ALPHA if table.anchored.any() else PLACEMENT_KAPPA
    found = tuple((one, estimate(one, sums, np.zeros(0), seed)) for one in (OBSERVED_OVERLAP, corrected))
    with_others = tuple(
        AnnotatorAgreement(each.annotator, each.n_pairs, each.overlap)
        for each in annotator_spans(table, pairs)
    )
    n, rows = len(marked.keys), marked.rows
    none = np.bincount(rows.item[rows.answered & (rows.parts[0] < 0)], minlength=n)
    agreeing = np.bincount(pairs.item, weights=pairs.overlap, minlength=n) + none * (none - 1) / 2
    return Seen(found, with_others, against_gold(table, marked), agreeing)

"""Answers of several spans on the live page: overlap so far and readers beside each other."""

from __future__ import annotations

import numpy as np

from evaluation.kinds.spans.several.marked import SeveralMarked, table_of
from evaluation.kinds.spans.several.numbers import against_gold
from evaluation.metrics.common.intervals import estimate
from evaluation.metrics.nominal.pairwise_agreement import AnnotatorAgreement
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA
from evaluation.metrics.spans.units.report import OVERLAP_OF_ANSWERS, annotator_units
from evaluation.metrics.spans.units.table import unit_pairs, unit_sums
from evaluation.values.live import Seen


def seen(marked: SeveralMarked, seed: int) -> Seen:
    table = table_of(marked)
    pairs = unit_pairs(table)
    sums = unit_sums(table, "pair", pairs)
    found = tuple(
        (one, estimate(one, sums, np.zeros(0), seed)) for one in (OVERLAP_OF_ANSWERS, UNITISING_ALPHA)
    )
    with_others = tuple(
        AnnotatorAgreement(each.annotator, each.n_pairs, each.overlap)
        for each in annotator_units(table, pairs)
    )
    n, rows = marked.n_items, marked.rows
    none = np.bincount(rows.item[rows.answered & (rows.parts[0] < 0)], minlength=n)
    agreeing = np.bincount(pairs.item, weights=pairs.overlap, minlength=n) + none * (none - 1) / 2
    return Seen(found, with_others, against_gold(marked), agreeing)

"""What the live page needs of each kind of data: agreement with its interval, readers beside each other,
items by how far their readings lie apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Study
from evaluation.kinds.nominal import choices as nominal
from evaluation.kinds.spans import marked as spans
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy, annotator_accuracy
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.pairwise_agreement import Fellow, with_others
from evaluation.metrics.nominal.position import PositionTest, position_counts_test
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.spans.alpha import SPAN_ALPHA
from evaluation.metrics.spans.annotators import annotator_spans
from evaluation.metrics.spans.intervals import jackknifed
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.overlap import OBSERVED_OVERLAP
from evaluation.metrics.spans.placement import PLACEMENT_KAPPA
from evaluation.metrics.spans.table import pairs_of
from evaluation.microscope.compare import estimated
from evaluation.report.compute import seed_of


class Seen(NamedTuple):
    """``estimates``: the last is the headline; ``agreeing`` (N,): agreement added over the pairs of answers
    of each item; ``places``: by reader, choices at each place of the screen and their test."""

    estimates: tuple[tuple[MeasureOf[Any], Estimate], ...]
    fellows: tuple[Fellow, ...]
    accuracies: tuple[AnnotatorAccuracy, ...]
    agreeing: FloatArray
    places: dict[int, PositionTest]


def of_choices(study: Study, choices: nominal.Choices) -> Seen:
    table = nominal.table_of(choices)
    patterns, seed = table.patterns, seed_of(study)
    fleiss = FLEISS if FLEISS.undefined(patterns) is None else GENERALISED_FLEISS
    roles = nominal.suspected(study, choices)
    found = estimated(patterns, (fleiss, RANDOLPH), seed, RESAMPLES, roles)
    counts = table.counts
    agreeing = (counts * (counts - 1) / 2).sum(axis=1)
    accuracies = annotator_accuracy(table, LEVEL)
    return Seen(tuple(found), with_others(table), accuracies, agreeing, positions(choices, seed))


def positions(choices: nominal.Choices, seed: int) -> dict[int, PositionTest]:
    """Where on the screen each reader's choices stood: evenly, if only the words counted."""
    shown = choices.rows.answered & (choices.position >= 0)
    who, places = choices.rows.reader[shown], choices.position[shown]
    q = choices.options
    counts = np.bincount(who * q + places, minlength=len(choices.readers) * q).reshape(-1, q)
    return {reader: position_counts_test(row, seed) for reader, row in enumerate(counts) if row.any()}


def of_spans(study: Study, marked: spans.Marked) -> Seen:
    table = spans.table_of(marked)
    pairs = pairs_of(table)
    sums, seed = item_sums(table, "pair", pairs), seed_of(study)
    corrected = SPAN_ALPHA if table.anchored.any() else PLACEMENT_KAPPA
    found = tuple((one, jackknifed(one, sums, seed)) for one in (OBSERVED_OVERLAP, corrected))
    fellows = tuple(
        Fellow(each.annotator, each.n_pairs, each.overlap) for each in annotator_spans(table, pairs)
    )
    n = len(marked.keys)
    rows = marked.rows
    none = np.bincount(rows.item[rows.answered & (rows.parts[0] < 0)], minlength=n)
    agreeing = np.bincount(pairs.item, weights=pairs.overlap, minlength=n) + none * (none - 1) / 2
    return Seen(found, fellows, spans.accuracies(table, marked), agreeing, {})


WATCHED: dict[str, Callable[[Study, Any], Seen]] = {"nominal": of_choices, "spans": of_spans}

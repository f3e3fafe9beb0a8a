"""Choices among q options: the numbers of a study whose data are nominal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from annotation.models import OptionOrder, Study
from evaluation.answers import Answers, Items, Reader, Unreadable
from evaluation.metrics import registry
from evaluation.metrics.accuracy import INDIVIDUAL, AnnotatorAccuracy, annotator_accuracy
from evaluation.metrics.annotators import leave_one_annotator_out
from evaluation.metrics.chance import RandomRow, random_row
from evaluation.metrics.fleiss import GENERALISED_FLEISS
from evaluation.metrics.intervals import LEVEL, Estimate
from evaluation.metrics.measure import Measure
from evaluation.metrics.position import PositionBias, position_bias, roles_suspected
from evaluation.metrics.randolph import RANDOLPH
from evaluation.metrics.table import NominalTable, Patterns, gold_histogram, tabulate

FEW_ERRORS = 10
LEFT_OUT = (INDIVIDUAL, GENERALISED_FLEISS, RANDOLPH)
MOST_LEFT_OUT = 20


class Line(NamedTuple):
    """One measure with its value. ``chance``: what guessing gives, None where that is not known.

    ``exact``: chance was enumerated for this study; otherwise it is 0 by the coefficient's definition.
    """

    measure: Measure
    estimate: Estimate
    chance: float | None
    exact: bool


class LeftOutRange(NamedTuple):
    """The least and the greatest value when one annotator is left out, and which one that is."""

    measure: Measure
    low: float
    without_low: str
    high: float
    without_high: str


class Numbers(NamedTuple):
    """What is computed from one kind of data."""

    lines: tuple[Line, ...] = ()
    accuracies: tuple[AnnotatorAccuracy, ...] = ()
    left_out: tuple[LeftOutRange, ...] = ()
    bias: PositionBias | None = None
    roles: str = ""


def nominal(study: Study, items: Items, answers: Answers, seed: int, resamples: int) -> Numbers:
    """Choices among q options: accuracy, agreement, and whether the screen position mattered.

    Options of a choice are interchangeable passages, so coefficients that read option numbers need a shuffled
    canonical order. It is checked whatever ``study.option_order`` says: showing each reader an own order
    changes what is seen, while κ is computed on the canonical numbers, and those are roles if gold is always
    the first of them. The shown order decides another thing: what was shuffled together in the position test.
    """
    try:
        table = tabulate(answers.item, answers.reader, answers.option, items.gold, items.options)
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error
    estimates = registry.report(table, seed, resamples, check_shuffle=True)
    patterns = table.patterns
    roles = roles_suspected(patterns) or ""
    chance = guessing(patterns)
    return Numbers(
        tuple(_line(each, chance) for each in estimates),
        annotator_accuracy(table, LEVEL),
        _left_out(table, answers.readers, bool(roles)),
        _bias(study, table, answers, seed),
        roles,
    )


def guessing(patterns: Patterns) -> RandomRow:
    """The random row of these items: accuracy over those with gold, agreement over all."""
    right = random_row(gold_histogram(patterns), patterns.options)
    return random_row(patterns.histogram(), patterns.options)._replace(
        individual_accuracy=right.individual_accuracy,
        majority_accuracy=right.majority_accuracy,
        plurality_accuracy=right.plurality_accuracy,
    )


def _line(estimate: Estimate, chance: RandomRow) -> Line:
    measure = registry.measure(estimate.slug)
    if estimate.slug in RandomRow._fields:
        return Line(measure, estimate, getattr(chance, estimate.slug), True)
    return Line(measure, estimate, 0.0 if measure.range[0] < 0 else None, False)


def _left_out(table: NominalTable, readers: list[Reader], roles: bool) -> tuple[LeftOutRange, ...]:
    """Ranges over annotators; none for a single one, nor beyond MOST_LEFT_OUT, where one says little."""
    if not 2 <= len(np.unique(table.annotator)) <= MOST_LEFT_OUT:
        return ()
    rows = []
    for measure in LEFT_OUT:
        if roles and measure.labelled:
            continue
        found = [
            (each.value, readers[each.annotator].pseudonym)
            for each in leave_one_annotator_out(table, measure)
            if each.value is not None
        ]
        if found:
            rows.append(LeftOutRange(measure, *min(found), *max(found)))
    return tuple(rows)


def _bias(study: Study, table: NominalTable, answers: Answers, seed: int) -> PositionBias | None:
    """The position test on wrong answers whose shown order is stored, None when there are too few."""
    every = list(range(table.options))
    gold = table.gold[table.item]
    wrong = [
        row
        for row in np.flatnonzero((gold >= 0) & (gold != table.choice)).tolist()
        if sorted(answers.order[row]) == every
    ]
    if len(wrong) < FEW_ERRORS:
        return None
    per_item = study.option_order == OptionOrder.CANONICAL
    choices = [answers.option[row] for row in wrong]
    return position_bias(
        [answers.item[row] for row in wrong] if per_item else wrong,
        choices,
        [answers.order[row].index(choice) for row, choice in zip(wrong, choices, strict=True)],
        np.ones(len(wrong), dtype=np.bool_),
        table.options,
        seed,
    )

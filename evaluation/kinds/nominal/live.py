"""Choices on the live page: agreement so far, readers beside each other, favoured places of the screen."""

from __future__ import annotations

import numpy as np

from annotation.models import Study
from common.tables.table import Cell
from evaluation.kinds.nominal.choices import Choices, suspected, table_of
from evaluation.kinds.nominal.definitions import estimated
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.nominal.accuracy import annotator_accuracy
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.pairwise_agreement import agreement_with_others
from evaluation.metrics.nominal.position import PositionTest, position_counts_test
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.values.live import Seen
from evaluation.values.wording import NONE, percent, probability

HABITS = ("Favoured place", "p")
HABITS_NOTE = (
    "“Favoured place”: where on the screen most of a reader’s choices stood. With shuffled options places "
    "should come up evenly; p is the probability of counts at least as uneven (multinomial test), adjusted "
    "for the number of readers by Holm’s method."
)
LEANS = 0.05
"""A reader whose choices of place are less probable than this, after Holm, is marked."""


def seen(study: Study, choices: Choices, seed: int) -> Seen:
    table = table_of(choices)
    patterns = table.patterns
    fleiss = FLEISS if FLEISS.undefined(patterns) is None else GENERALISED_FLEISS
    found = estimated(patterns, (fleiss, RANDOLPH), seed, RESAMPLES, suspected(study, choices))
    counts = table.counts
    agreeing = (counts * (counts - 1) / 2).sum(axis=1)
    accuracies = annotator_accuracy(table, LEVEL)
    with_others = agreement_with_others(table)
    return Seen(tuple(found), with_others, accuracies, agreeing, habits(positions(choices, seed)))


def positions(choices: Choices, seed: int) -> dict[int, PositionTest]:
    """Where on the screen each reader's choices stood: evenly, if only the words counted."""
    shown = choices.rows.answered & (choices.position >= 0)
    who, places = choices.rows.reader[shown], choices.position[shown]
    q = choices.options
    counts = np.bincount(who * q + places, minlength=len(choices.readers) * q).reshape(-1, q)
    return {reader: position_counts_test(row, seed) for reader, row in enumerate(counts) if row.any()}


def habits(places: dict[int, PositionTest]) -> dict[int, tuple[Cell, ...]]:
    """By reader: the favoured place, and how probable such counts are, adjusted for the number of readers."""
    tested = [who for who, test in places.items() if test.p is not None]
    adjusted = dict(zip(tested, holm([places[who].p or 0.0 for who in tested]), strict=True))
    return {
        who: (
            Cell(favourite(test)),
            Cell(probability(adjusted[who]), loud=adjusted[who] < LEANS) if who in adjusted else Cell(NONE),
        )
        for who, test in places.items()
    }


def favourite(test: PositionTest) -> str:
    """The place chosen most often and its share of the choices."""
    most = max(test.counts)
    return f"{test.counts.index(most) + 1}: {percent(most / sum(test.counts))} %"

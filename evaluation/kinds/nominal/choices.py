"""Choices among q options: the numbers of a study whose data are nominal.

A nominal answer, and a nominal gold answer, is ``{"option": canonical number}``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.models import OptionOrder, Study
from evaluation.kinds.answers import (
    AsOf,
    Judged,
    Reader,
    drawn_items,
    heaviest,
    read_items,
    read_readers,
    read_rows,
    same_options,
)
from evaluation.kinds.base import Answers, part
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.nominal.cues import cue_audit
from evaluation.kinds.nominal.pairs import InPairs, in_pairs
from evaluation.metrics import registry
from evaluation.metrics.common.dominance import Dominant
from evaluation.metrics.common.intervals import LEVEL, Estimate, estimate, resample
from evaluation.metrics.nominal.accuracy import (
    INDIVIDUAL,
    MAJORITY,
    MajorityCounts,
    annotator_accuracy,
    majority_counts,
)
from evaluation.metrics.nominal.chance import RandomRow, random_row
from evaluation.metrics.nominal.fleiss import GENERALISED_FLEISS
from evaluation.metrics.nominal.leave_one_out import without_each
from evaluation.metrics.nominal.position import PositionBias, position_bias, roles_suspected
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import (
    BoolArray,
    IntArray,
    NominalTable,
    Patterns,
    distinct,
    gold_histogram,
    tabulate,
)
from evaluation.values.cues import CueAudit
from evaluation.values.lines import LeftOutRange, Line, Numbers, left_out_range

FEW_ERRORS = 10
LEFT_OUT = (INDIVIDUAL, GENERALISED_FLEISS, RANDOLPH)
MOST_LEFT_OUT = 20
DIFFER = (
    "Items offer {} to {} options ({}), and chance needs the same number on every item: build a study for "
    "each number."
)


class Found(NamedTuple):
    """What only choices have.

    ``bias``: the test of screen positions, None with too few errors.
    ``roles``: why canonical numbers may be roles, or empty.
    ``in_pairs``: readers compared with each other.
    ``cues``: what readers who never read would get right.
    ``wanted``: k, the answers that an item is to get.
    ``majority``: on how many items it is one of fewer answers, or there is none.
    ``heavy``: the item with much of all answers.
    """

    bias: PositionBias | None
    roles: str
    in_pairs: InPairs
    cues: CueAudit
    wanted: int
    majority: MajorityCounts
    heavy: Dominant | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices(Judged):
    """The study's choices.

    ``gold`` (N,): the canonical option that is right, -1 without gold.
    """

    gold: IntArray

    @property
    def option(self) -> IntArray:
        """(M,) the canonical option of each current judgment, -1 without an answer."""
        return self.rows.parts[0]

    @property
    def position(self) -> IntArray:
        """(M,) where on the page that option stood, -1 where no order of the options was stored."""
        return self.rows.parts[1]


def read(study: Study, as_of: AsOf | None = None) -> Choices:
    """The study's items, readers and choices. Raises Unreadable when items differ in how many they offer."""
    found = read_items(study, few=("categories", "gold_1"))
    keys = found["id"]
    rows, readers = read_rows(read_readers(study), keys, few=("number_1", "position"), as_of=as_of)
    return Choices(
        readers=readers,
        numbers=found["number"],
        sizes=rows.sizes(len(keys)),
        options=same_options(found["number"], found["categories"], DIFFER),
        keys=keys,
        gold=found["gold_1"],
        rows=rows,
    )


def nothing(choices: Choices) -> str:
    """Why there is nothing nominal to count, or empty."""
    if choices.options < 2:
        return "The items offer no options to choose from, so nothing nominal can be counted."
    return ""


def table_of(choices: Choices, gold: IntArray | None = None) -> NominalTable:
    """The answers as the measures take them, with another ``gold`` (N,) where one is given.

    Raises Unreadable where an answer names no option.
    """
    item, reader, _, (option, _) = choices.rows.only(choices.rows.answered)
    try:
        return tabulate(
            item,
            reader,
            option,
            choices.gold if gold is None else gold,
            choices.options,
        )
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error


def nominal(study: Study, choices: Choices, seed: int, resamples: int) -> Numbers:
    """Choices among q options: accuracy, agreement, and whether the screen position mattered.

    The order in which options were shown decides what was shuffled together in the position test.
    """
    table = table_of(choices)
    roles = suspected(study, choices)
    estimates = registry.report(table, seed, resamples, caution=roles)
    chance = guessing(table.patterns)
    return Numbers(
        tuple(_line(each, chance) for each in estimates),
        annotator_accuracy(table, LEVEL),
        _left_out(table, choices.readers),
        Found(
            _bias(study, choices, seed),
            roles,
            in_pairs(table, seed, resamples, roles),
            cue_audit(study, choices.keys[choices.gold >= 0]),
            study.overlap,
            majority_counts(table.patterns, study.overlap),
            heaviest(choices.numbers, choices.sizes),
        ),
    )


def against(choices: Choices, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
    """Individual and majority accuracy with the option decided on in the place of gold."""
    table = table_of(choices, np.array(part(choices.keys, answers, 0), dtype=np.int64))
    patterns, wanted = table.patterns, (INDIVIDUAL, MAJORITY)
    draws = resample(patterns, [one.statistic for one in wanted], seed, resamples)
    chance = guessing(patterns)._asdict()
    return tuple(
        Line(one, estimate(one, patterns, drawn, seed, LEVEL), chance[one.slug], chance[one.slug] is not None)
        for one, drawn in zip(wanted, draws, strict=True)
    )


def suspected(study: Study, choices: Choices) -> str:
    """Why canonical option numbers may be roles rather than places in a shuffle, or empty.

    Options of a choice are interchangeable passages, so coefficients that read option numbers need a shuffled
    canonical order, whatever ``study.option_order`` says: showing each reader an own order changes what is
    seen, while κ is computed on the canonical numbers. An order that was drawn here is a shuffle however it
    fell; only the others are suspected, and only where all items together are as uneven: elsewhere the
    margins are about even, and nothing is distorted.
    """
    judged = choices.sizes > 0
    if not roles_suspected(gold_histogram_of(choices, judged)):
        return ""
    drawn = np.isin(choices.keys, drawn_items(study))
    return roles_suspected(gold_histogram_of(choices, judged & ~drawn))


def gold_histogram_of(choices: Choices, which: BoolArray) -> IntArray:
    """(q,) of the items where ``which`` (N,) is true, those whose gold has each canonical number."""
    gold = choices.gold[which & (choices.gold >= 0)]
    return np.bincount(gold, minlength=choices.options).astype(np.int64)


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


def _left_out(table: NominalTable, readers: list[Reader]) -> tuple[LeftOutRange, ...]:
    """Ranges over annotators; none for a single one, nor beyond MOST_LEFT_OUT, where one says little."""
    if not 2 <= len(distinct(table.annotator)) <= MOST_LEFT_OUT:
        return ()
    rest = [(patterns, readers[who].pseudonym) for who, patterns in without_each(table)]
    return tuple(
        found
        for measure in LEFT_OUT
        for found in left_out_range(measure, ((measure.value(patterns), name) for patterns, name in rest))
    )


def _bias(study: Study, choices: Choices, seed: int) -> PositionBias | None:
    """The position test on wrong answers whose shown order is stored, None when there are too few."""
    right = choices.gold[choices.rows.item]
    wrong = np.flatnonzero((choices.option >= 0) & (right >= 0) & (choices.option != right))
    wrong = wrong[choices.position[wrong] >= 0]
    if len(wrong) < FEW_ERRORS:
        return None
    per_item = study.option_order == OptionOrder.CANONICAL
    return position_bias(
        choices.rows.item[wrong] if per_item else wrong,
        choices.option[wrong],
        choices.position[wrong],
        np.ones(len(wrong), dtype=np.bool_),
        choices.options,
        seed,
    )

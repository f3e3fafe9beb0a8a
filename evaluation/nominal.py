"""Choices among q options: the numbers of a study whose data are nominal.

A nominal answer, and a nominal gold answer, is ``{"option": canonical number}``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.models import OptionOrder, Study
from evaluation.answers import (
    Judged,
    Reader,
    Rows,
    Unreadable,
    read_items,
    read_readers,
    read_rows,
)
from evaluation.columns import Length, Whole
from evaluation.metrics import registry
from evaluation.metrics.accuracy import INDIVIDUAL, annotator_accuracy
from evaluation.metrics.annotators import leave_one_annotator_out
from evaluation.metrics.chance import RandomRow, random_row
from evaluation.metrics.fleiss import GENERALISED_FLEISS
from evaluation.metrics.intervals import LEVEL, Estimate
from evaluation.metrics.position import PositionBias, position_bias, roles_suspected
from evaluation.metrics.randolph import RANDOLPH
from evaluation.metrics.table import BoolArray, IntArray, NominalTable, Patterns, gold_histogram, tabulate
from evaluation.numbers import LeftOutRange, Line, Numbers

FEW_ERRORS = 10
LEFT_OUT = (INDIVIDUAL, GENERALISED_FLEISS, RANDOLPH)
MOST_LEFT_OUT = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices(Judged):
    """The study's choices: primary keys and gold of the work items (N,), -1 without gold, and the rows."""

    keys: IntArray
    gold: IntArray
    rows: Rows

    @property
    def option(self) -> IntArray:
        """(M,) the canonical option of each current judgment, -1 without an answer."""
        return self.rows.parts[0]


def read(study: Study) -> Choices:
    """The study's items, readers and choices. Raises Unreadable when items differ in how many they offer."""
    found = read_items(study, gold=Whole("gold", "option"), length=Length("payload", "options"))
    keys, gold = found["keys"], found["gold"]
    options = offered(study, found["numbers"], found["length"])
    rows, readers = read_rows(study, keys, read_readers(study), Whole("answer", "option"), orders=True)
    return Choices(
        readers=readers, sizes=rows.sizes(len(keys)), options=options, keys=keys, gold=gold, rows=rows
    )


def offered(study: Study, numbers: IntArray, lengths: IntArray) -> int:
    """q, the number of options on every item; 0 without items. Raises Unreadable when items differ.

    ``lengths`` (N,): of the items' lists of ``options``; one payload is read for each length there is.
    """
    found, examples, times = np.unique(lengths, return_index=True, return_counts=True)
    payloads = dict(
        study.items.filter(number__in=numbers[examples].tolist()).values_list("number", "payload")
    )
    sizes = [study.task_type.n_options(payloads[number]) for number in numbers[examples].tolist()]
    if len(set(sizes)) > 1:
        few = int(np.argmin(times))
        places = numbers[lengths == found[few]].tolist()
        named = ", ".join(str(number) for number in places[:5]) + (" …" if len(places) > 5 else "")
        raise Unreadable(
            f"Items offer {min(sizes)} to {max(sizes)} options (item {named}: {sizes[few]}), and chance "
            "needs the same number on every item: build a study for each number."
        )
    return sizes[0] if sizes else 0


def nothing(choices: Choices) -> str:
    """Why there is nothing nominal to count, or empty."""
    if choices.options < 2:
        return "The items offer no options to choose from, so nothing nominal can be counted."
    return ""


def table_of(choices: Choices) -> NominalTable:
    """The answers as the measures take them. Raises Unreadable where one names no option."""
    rows, answered = choices.rows, choices.rows.answered
    try:
        return tabulate(
            rows.item[answered],
            rows.reader[answered],
            choices.option[answered],
            choices.gold,
            choices.options,
        )
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error


def nominal(study: Study, choices: Choices, seed: int, resamples: int) -> Numbers:
    """Choices among q options: accuracy, agreement, and whether the screen position mattered.

    Options of a choice are interchangeable passages, so coefficients that read option numbers need a shuffled
    canonical order. It is checked whatever ``study.option_order`` says: showing each reader an own order
    changes what is seen, while κ is computed on the canonical numbers, and those are roles if gold is always
    the first of them. The shown order decides another thing: what was shuffled together in the position test.
    """
    table = table_of(choices)
    estimates = registry.report(table, seed, resamples, check_shuffle=True)
    patterns = table.patterns
    roles = roles_suspected(patterns) or ""
    chance = guessing(patterns)
    return Numbers(
        tuple(_line(each, chance) for each in estimates),
        annotator_accuracy(table, LEVEL),
        _left_out(table, choices.readers, bool(roles)),
        _bias(study, choices, seed),
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


def _bias(study: Study, choices: Choices, seed: int) -> PositionBias | None:
    """The position test on wrong answers whose shown order is stored, None when there are too few."""
    right = choices.gold[choices.rows.item]
    wrong = np.flatnonzero((choices.option >= 0) & (right >= 0) & (choices.option != right))
    places, shown = places_of(choices, wrong)
    wrong, places = wrong[shown], places[shown]
    if len(wrong) < FEW_ERRORS:
        return None
    per_item = study.option_order == OptionOrder.CANONICAL
    return position_bias(
        choices.rows.item[wrong] if per_item else wrong,
        choices.option[wrong],
        places,
        np.ones(len(wrong), dtype=np.bool_),
        choices.options,
        seed,
    )


def places_of(choices: Choices, which: IntArray) -> tuple[IntArray, BoolArray]:
    """Where the chosen options of these judgments stood on the screen, and whether that was stored."""
    assert choices.rows.orders is not None  # noqa: S101 - read() asked for them
    return choices.rows.orders.places(which, choices.option[which], choices.options)

"""Choices among q options: the numbers of a study whose data are nominal.

A nominal answer, and a nominal gold answer, is ``{"option": canonical number}``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Min

from annotation.models import Item, OptionOrder, Study
from evaluation.answers import Judged, Reader, Rows, Unreadable, current, read_readers, read_rows, work_items
from evaluation.columns import Length, Whole
from evaluation.metrics import registry
from evaluation.metrics.accuracy import INDIVIDUAL, annotator_accuracy
from evaluation.metrics.annotators import leave_one_annotator_out
from evaluation.metrics.chance import RandomRow, random_row
from evaluation.metrics.fleiss import GENERALISED_FLEISS
from evaluation.metrics.intervals import LEVEL, Estimate
from evaluation.metrics.position import PositionBias, position_bias, roles_suspected
from evaluation.metrics.randolph import RANDOLPH
from evaluation.metrics.table import IntArray, NominalTable, Patterns, gold_histogram, tabulate
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
    options = offered(study)
    found = list(work_items(study).values_list("pk", Whole("gold", "option")))
    keys = np.array([pk for pk, _ in found], dtype=np.int64)
    gold = np.array([-1 if right is None else right for _, right in found], dtype=np.int64)
    rows, readers = read_rows(study, keys, read_readers(study), Whole("answer", "option"))
    return Choices(
        readers=readers, sizes=rows.sizes(len(keys)), options=options, keys=keys, gold=gold, rows=rows
    )


def offered(study: Study) -> int:
    """q, the number of options on every item; 0 without items.

    Only one payload is read for each length of ``options``. Raises Unreadable when items differ.
    """
    task = study.task_type
    grouped = (
        work_items(study)
        .order_by()
        .values(length=Length("payload", "options"))
        .annotate(one=Min("number"), items=Count("pk"))
    )
    sizes = {each["one"]: each["items"] for each in grouped}
    payloads = study.items.filter(number__in=sizes).values_list("number", "payload")
    numbers = {number: task.n_options(payload) for number, payload in payloads}
    if len(set(numbers.values())) > 1:
        few = min(sizes, key=lambda number: (sizes[number], number))
        raise Unreadable(_uneven(study, sorted(set(numbers.values())), numbers[few], few))
    return next(iter(numbers.values()), 0)


def _uneven(study: Study, offers: list[int], few: int, example: int) -> str:
    payload = Item.objects.get(study=study, number=example).payload
    alike = work_items(study).alias(length=Length("payload", "options"))
    places = list(alike.filter(length=len(payload["options"])).values_list("number", flat=True)[:6])
    named = ", ".join(str(number) for number in places[:5]) + (" …" if len(places) > 5 else "")
    return (
        f"Items offer {offers[0]} to {offers[-1]} options (item {named}: {few}), and chance needs "
        "the same number on every item: build a study for each number."
    )


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
    wrong = (
        current(study)
        .annotate(option=Whole("answer", "option"), right=Whole("assignment__item__gold", "option"))
        .filter(annotator__in=[each.key for each in choices.readers], assignment__item__in=work_items(study))
        .exclude(option=F("right"))
        .filter(option__isnull=False, right__isnull=False)
        .values_list("assignment__item_id", "pk", "option", "order")
    )
    every = list(range(choices.options))
    shown = [row for row in wrong if sorted(row[3]) == every]
    if len(shown) < FEW_ERRORS:
        return None
    per_item = study.option_order == OptionOrder.CANONICAL
    return position_bias(
        [item if per_item else judgment for item, judgment, _, _ in shown],
        [option for _, _, option, _ in shown],
        [order.index(option) for _, _, option, order in shown],
        np.ones(len(shown), dtype=np.bool_),
        choices.options,
        seed,
    )

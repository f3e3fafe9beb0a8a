"""Readers against what an adjudicator settled: a layer of its own, beside agreement and never in it.

The latest decision on an item takes the place of gold. Items without a decision, and those of which was
decided that no answer can be given, enter nothing here. An adjudicator has the readings before them, so this
is no accuracy against an independent key: whoever is adopted is right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from annotation.adjudication.decisions import current_decisions
from annotation.models import Study
from evaluation.kinds.answers import Judged
from evaluation.kinds.nominal.choices import Choices, guessing, table_of
from evaluation.kinds.spans.marked import Marked
from evaluation.kinds.spans.marked import table_of as span_table
from evaluation.metrics.common.intervals import LEVEL, Estimate, estimate, resample
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.registry import measure
from evaluation.metrics.spans.gold import gold_estimates, gold_sums
from evaluation.report.numbers import Line

NOTE = (
    "The adjudicator had the readings before them, so this is not accuracy against an independent key: "
    "a reading that was adopted counts as right. Agreement above is computed from the readings alone."
)


class Settled(NamedTuple):
    """``n_settled``: items with a decision that is an answer; ``n_open``: where none can be given;
    ``n_adopted``: where it is a reader's."""

    n_settled: int
    n_open: int
    n_adopted: int
    lines: tuple[Line, ...]


Compute = Callable[[Any, dict[int, Any], int, int], tuple[Line, ...]]


def settled(study: Study, judged: Judged, compute: Compute, seed: int, resamples: int) -> Settled | None:
    """The study's readers against its decisions; None where nothing was settled on the items that count."""
    decisions = list(current_decisions(study))
    keys = set(judged.keys.tolist()) if decisions else ()
    found = [each for each in decisions if each.item_id in keys]
    if not found:
        return None
    answers = {each.item_id: each.answer for each in found if each.answer is not None}
    adopted = sum(each.adopted is not None for each in found)
    lines = compute(judged, answers, seed, resamples) if answers else ()
    return Settled(len(answers), len(found) - len(answers), adopted, lines)


def of_choices(choices: Choices, answers: dict[int, Any], seed: int, resamples: int) -> tuple[Line, ...]:
    """Individual and majority accuracy with the option decided on in the place of gold."""
    table = table_of(choices, np.array(part(choices.keys, answers, "option"), dtype=np.int64))
    patterns, wanted = table.patterns, (INDIVIDUAL, MAJORITY)
    draws = resample(patterns, [one.statistic for one in wanted], seed, resamples)
    chance = guessing(patterns)._asdict()
    found = zip(wanted, draws, strict=True)
    estimates = [estimate(one, patterns, drawn, seed, LEVEL) for one, drawn in found]
    return tuple(named(each, chance[each.slug]) for each in estimates)


def of_spans(marked: Marked, answers: dict[int, Any], seed: int, resamples: int) -> tuple[Line, ...]:
    """Spans against the spans decided on; that there is no allusion is no span and enters nothing."""
    start, end = part(marked.keys, answers, "start"), part(marked.keys, answers, "end")
    if max(start) < 0:
        return ()
    sums = gold_sums(span_table(marked), start, end)
    return tuple(named(each, None) for each in gold_estimates(sums, seed, resamples))


def part(keys: IntArray, answers: dict[int, Any], name: str) -> list[int]:
    """(N,) one whole number of the decision on each item, -1 where there is none."""
    return [answers.get(key, {}).get(name, -1) for key in keys.tolist()]


def named(each: Estimate, chance: float | None) -> Line:
    return Line(measure(each.slug), each, chance, chance is not None)

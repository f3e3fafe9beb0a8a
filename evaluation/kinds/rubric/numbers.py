"""The numbers of a rubric: each question by the measures of its own kind, and never a mean over questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from annotation.tasktypes.rubric.questions import NOMINAL, Question
from evaluation.kinds.base import Answers
from evaluation.kinds.rubric.answered import EMPTY, LEFT_OUT, Answered
from evaluation.metrics.common.intervals import LEVEL, estimate, resample
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.accuracy import INDIVIDUAL
from evaluation.metrics.nominal.agreement import OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray, Patterns, tabulate
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.ordinal.gold import of_decisions
from evaluation.metrics.ordinal.report import (
    GOLD_GRADE_MEASURES,
    GRADE_AGREEMENT,
    grade_estimates,
    grade_lines,
    guessing,
)
from evaluation.metrics.ordinal.table import GradeTable, coincidences, tabulate_grades
from evaluation.metrics.planning.pilot import Sampled
from evaluation.metrics.rubric import FILLED, SAME_TEXT, text_patterns
from evaluation.values.lines import Line, Numbers

OF_GOLD = {each.slug for each in GOLD_GRADE_MEASURES}
PLAIN = {each.slug for each in GRADE_AGREEMENT}
NOT_ASKED_TOO = "or_not_asked-"
"""Stands in the slug of a line in which “not asked” is an answer, behind that of its question."""


class Asked(NamedTuple):
    """One question in a study.

    ``question``: the question.
    ``n_answered``, ``n_empty``, ``n_not_asked``: answers in each of the three states.
    ``n_items``: items on which two readers or more were asked.
    ``lines``: its measures.
    ``coincidences`` (q, q): answers of two readers to one item; None for texts.
    """

    question: Question
    n_answered: int
    n_empty: int
    n_not_asked: int
    n_items: int
    lines: tuple[Line, ...]
    coincidences: FloatArray | None


def numbers(answered: Answered, seed: int, resamples: int) -> Numbers:
    """Every question in the order of the rubric: what others hang on stands before them."""
    found = tuple(asked(answered, place, seed, resamples) for place in range(len(answered.questions)))
    return Numbers(tuple(line for each in found for line in each.lines), found=found)


def asked(answered: Answered, place: int, seed: int, resamples: int) -> Asked:
    """One question, ``place`` in the rubric, with its states and its measures."""
    question, codes = answered.questions[place], answered.codes[:, place]
    gold = answered.gold[:, place]
    to = np.bincount(answered.item[codes != LEFT_OUT], minlength=answered.n_items)
    common = (to >= (2 if question.when else 1))[answered.item]
    lines: list[Line] = []
    pairs: FloatArray | None = None
    if not question.options:
        lines += text_lines(answered, codes, common, seed, resamples)
    elif question.kind == NOMINAL:
        table = tabulate(*given(answered, codes, common), np.maximum(gold, -1), len(question.options))
        lines += nominal_lines(table.patterns, seed, resamples)
        pairs = coincidences(table.patterns)
    else:
        grades = grades_of(answered, codes, common, gold, question)
        lines += ordinal_lines(grades, seed, resamples)
        pairs = coincidences(grades.patterns)
    own = [of_question(question, each) for each in lines]
    if question.when:
        counted = with_not_asked(answered, codes, question, seed, resamples)
        own += [of_question(question, each, counted=True) for each in counted]
    return Asked(
        question,
        int((codes >= 0).sum()),
        int((codes == EMPTY).sum()),
        int((codes == LEFT_OUT).sum()),
        int((to >= 2).sum()),
        tuple(own),
        pairs,
    )


def given(answered: Answered, codes: IntArray, which: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Item, reader and number of the answers to one question where ``which`` (M,) is true."""
    kept = (codes >= 0) & which
    return answered.item[kept], answered.reader[kept], codes[kept]


def grades_of(
    answered: Answered, codes: IntArray, which: BoolArray, gold: IntArray, question: Question
) -> GradeTable:
    """An ordinal question as the measures of grades take it."""
    return tabulate_grades(
        *given(answered, codes, which), np.maximum(gold, -1), max(2, len(question.options))
    )


def nominal_lines(patterns: Patterns, seed: int, resamples: int) -> Iterator[Line]:
    """Plain agreement, three coefficients, and the share like gold where there is gold."""
    fleiss = FLEISS if patterns.balanced else GENERALISED_FLEISS
    wanted = [OBSERVED, ALPHA, fleiss, RANDOLPH, *([INDIVIDUAL] if (patterns.gold >= 0).any() else [])]
    yield from estimated(wanted, patterns, seed, resamples, 1 / patterns.options)


def ordinal_lines(table: GradeTable, seed: int, resamples: int) -> list[Line]:
    """The measures of grades: plain agreement first, then α; against gold where there is gold."""
    known = bool((table.patterns.gold >= 0).any())
    lines = [
        Line(*each)
        for each in grade_lines(table, seed, resamples)
        if known or each.measure.slug not in OF_GOLD
    ]
    return sorted(lines, key=lambda each: (each.measure.slug in OF_GOLD, each.measure.slug not in PLAIN))


def text_lines(
    answered: Answered, codes: IntArray, common: BoolArray, seed: int, resamples: int
) -> Iterator[Line]:
    """How often something was written, and how often two texts are equal; no coefficient."""
    to = codes != LEFT_OUT
    none = np.full(answered.n_items, -1)
    filled = tabulate(answered.item[to], answered.reader[to], (codes[to] >= 0).astype(np.int64), none, 2)
    yield from estimated([FILLED], filled.patterns, seed, resamples, None)
    item, _, text = given(answered, codes, common)
    yield from estimated([SAME_TEXT], text_patterns(item, text, answered.n_items), seed, resamples, None)


def with_not_asked(
    answered: Answered, codes: IntArray, question: Question, seed: int, resamples: int
) -> Iterator[Line]:
    """Agreement where “not asked” is an answer like others: readers who differ before differ here too."""
    kept = codes != EMPTY
    item, said = answered.item[kept], codes[kept]
    if not question.options:
        yield from estimated([SAME_TEXT], text_patterns(item, said, answered.n_items), seed, resamples, None)
        return
    q = len(question.options)
    none = np.full(answered.n_items, -1)
    table = tabulate(item, answered.reader[kept], np.where(said == LEFT_OUT, q, said), none, q + 1)
    yield from estimated([OBSERVED, ALPHA], table.patterns, seed, resamples, None)


def estimated(
    measures: Sequence[Measure], patterns: Patterns, seed: int, resamples: int, guess: float | None
) -> Iterator[Line]:
    """Measures with their intervals on the same resamples. ``guess``: what shares are by guessing."""
    draws = resample(patterns, [one.statistic for one in measures], seed, resamples)
    for one, drawn in zip(measures, draws, strict=True):
        corrected = one.range[0] < 0
        chance = 0.0 if corrected else guess
        yield Line(
            one, estimate(one, patterns, drawn, seed, LEVEL), chance, not corrected and guess is not None
        )


def of_question(question: Question, line: Line, *, counted: bool = False) -> Line:
    """The line with the name of its question. ``counted``: “not asked” is an answer in it."""
    measure = named_for(question, line.measure, counted=counted)
    estimate = line.estimate._replace(slug=measure.slug, label=measure.label)
    return line._replace(measure=measure, estimate=estimate)


def named_for(question: Question, measure: Measure, *, counted: bool = False) -> Measure:
    """The measure with the name of its question."""
    slug = f"{question.key}-{NOT_ASKED_TOO if counted else ''}{measure.slug}"
    label = f"{question.name}{' or not asked' if counted else ''}: {measure.label}"
    return replace(measure, slug=slug, label=label)


def primary(answered: Answered) -> Iterator[Sampled]:
    """Of each question with options α and plain agreement, as the report has them."""
    rows = answered.rows.only(answered.rows.answered)
    closed = [each for each in answered.questions if each.options]
    for question, codes in zip(closed, rows.parts, strict=False):
        to = np.bincount(rows.item[codes != LEFT_OUT], minlength=answered.n_items)
        kept = (codes >= 0) & (to >= (2 if question.when else 1))[rows.item]
        none = np.full(answered.n_items, -1)
        q = max(2, len(question.options))
        patterns = tabulate(rows.item[kept], rows.reader[kept], codes[kept], none, q).patterns
        nominal = question.kind == NOMINAL
        for one in (ALPHA, OBSERVED) if nominal else (ORDINAL_ALPHA, EXACT_AGREEMENT):
            yield Sampled(named_for(question, one), patterns)


def against(answered: Answered, answers: Answers, seed: int, resamples: int) -> Iterator[Line]:
    """Each question with options against what was decided on it."""
    nothing = (EMPTY,) * len(answered.questions)
    decided = np.array(
        [
            [-1 if code is None else code for code in answers.get(key, nothing)]
            for key in answered.keys.tolist()
        ]
    )
    every = np.ones(len(answered.item), dtype=np.bool_)
    for place, question in enumerate(answered.questions):
        gold = decided[:, place]
        if not question.options or not (gold >= 0).any():
            continue
        grades = grades_of(answered, answered.codes[:, place], every, gold, question)
        ordinal = question.kind != NOMINAL
        measures = [of_decisions(one) for one in (GOLD_GRADE_MEASURES if ordinal else (INDIVIDUAL,))]
        found = grade_estimates(grades, measures, seed, resamples)
        chance = guessing(grades.patterns) | ({} if ordinal else {INDIVIDUAL.slug: 1 / len(question.options)})
        for one, each in zip(measures, found, strict=True):
            yield of_question(question, Line(one, each, chance.get(one.slug), one.slug in chance))

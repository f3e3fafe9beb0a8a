"""Grades: the numbers of a study whose data are ordinal.

A grade, and a gold grade, is ``{"grade": n}``, 0 for the lowest. What chance and distance mean hangs on how
many grades there are, so every item must have as many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from annotation.models import Study
from evaluation.kinds.answers import (
    AsOf,
    Judged,
    Reader,
    heaviest,
    read_items,
    read_readers,
    read_rows,
    same_options,
    work_items,
)
from evaluation.kinds.base import Answers, part
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.ordinal.topics.reading import Topics, first_keys, positions, topics_of
from evaluation.kinds.ordinal.topics.topical import Topical, topical
from evaluation.metrics.common.clusters import clusters_of
from evaluation.metrics.common.dominance import Dominant
from evaluation.metrics.common.measure import Measure
from evaluation.metrics.nominal.accuracy import AnnotatorAccuracy, accuracies
from evaluation.metrics.nominal.table import IntArray, distinct
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.gold import of_decisions
from evaluation.metrics.ordinal.rationale import Rationales
from evaluation.metrics.ordinal.report import (
    GOLD_GRADE_MEASURES,
    GradeReport,
    grade_estimates,
    grade_report,
    guessing,
)
from evaluation.metrics.ordinal.table import GradeTable, tabulate_grades, without_each
from evaluation.metrics.planning.pilot import Sampled
from evaluation.values.lines import LeftOutRange, Line, Numbers, left_out_range

LEFT_OUT: tuple[Measure, ...] = (EXACT_AGREEMENT, ORDINAL_ALPHA, INTERVAL_ALPHA)
MOST_LEFT_OUT = 20
DIFFER = (
    "Items have scales of {} to {} grades ({}), and a distance between grades needs the same number on every "
    "item: build a study for each number."
)
MOST_ITEMS = 20_000
"""Of more items the words of grades are not read: that takes their payloads."""


class Found(NamedTuple):
    """What only grades have.

    ``report``: all that the measures of grades found.
    ``labels``: the words of each grade, lowest first; empty where they are not known.
    ``heavy``: the item with much of all answers.
    ``margins`` (R, q): how often each reader gave each grade.
    ``topical``: what only studies of topics have; None without topics.
    ``rationales``: what readers marked as what decided; None where they mark nothing.
    """

    report: GradeReport
    labels: tuple[str, ...]
    heavy: Dominant | None
    margins: IntArray
    topical: Topical | None = None
    rationales: Rationales | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Graded(Judged):
    """The study's grades; ``options`` is the number of grades.

    ``gold`` (N,): the gold grade of the work items, -1 without.
    ``labels``: the words of each grade, as `labels_of` finds them.
    ``topics``: of the items, where they have any. Intervals are then over topics.
    """

    gold: IntArray
    labels: tuple[str, ...] = field(default=())
    topics: Topics | None = None

    @property
    def grade(self) -> IntArray:
        """(M,) the grade of each current judgment, -1 without an answer."""
        return self.rows.parts[0]

    @property
    def topic(self) -> IntArray | None:
        """(N,) the number of each item's topic; None where items have none."""
        return self.topics.of_item if self.topics else None


def read(study: Study, as_of: AsOf | None = None) -> Graded:
    """The study's items, readers and grades. Raises Unreadable where scales are not equally long."""
    found = read_items(study, few=("categories", "gold_1"))
    grouped = study.task_type.has_groups and len(found["id"]) > 0
    keys = ("id",) if grouped else ()
    rows, readers = read_rows(read_readers(study), found["id"], *keys, few=("number_1",), as_of=as_of)
    grades = same_options(found["number"], found["categories"], DIFFER)
    topics = None
    if grouped:
        names, topic = topics_of(study, found["id"])
        first = first_keys(readers, found["id"], rows, rows.parts[0])
        topics = Topics(names, topic, positions(rows, first, topic))
        rows = rows._replace(parts=rows.parts[1:])
    sizes = rows.sizes(len(found["id"]))
    return Graded(
        readers=readers,
        numbers=found["number"],
        sizes=sizes,
        options=grades,
        keys=found["id"],
        rows=rows,
        gold=found["gold_1"],
        labels=labels_of(study, len(found["id"]), grades),
        topics=topics,
        n_topics=len(np.unique(topics.of_item[sizes > 0])) if topics else 0,
        n_compared=len(np.unique(topics.of_item[sizes > 1])) if topics else 0,
    )


def labels_of(study: Study, n_items: int, grades: int) -> tuple[str, ...]:
    """The words of each grade, lowest first; empty where items have different ones or are very many."""
    if not 0 < n_items <= MOST_ITEMS:
        return ()
    task = study.task_type
    # Each different list of words once: the texts of the items stay in the database.
    parts = work_items(study).order_by().values_list(f"payload__{task.labels_in}", flat=True).distinct()
    found = {task.category_labels({task.labels_in: each}) for each in parts.iterator()}
    return next(iter(found)) if len(found) == 1 and len(min(found)) == grades else ()


def table_of(graded: Graded, gold: IntArray | None = None) -> GradeTable:
    """The grades as the measures take them, with another ``gold`` (N,) where one is given.

    Raises Unreadable for a judgment that is no grade of the scale.
    """
    item, reader, _, (grade, *_) = graded.rows.only(graded.rows.answered)
    try:
        return tabulate_grades(item, reader, grade, graded.gold if gold is None else gold, graded.options)
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error


def primary(graded: Graded) -> tuple[Sampled, ...]:
    """Ordinal α and exact agreement, with the topics where items have any."""
    table = table_of(graded)
    topics = (
        None if graded.topic is None else clusters_of(table.rows(), graded.topic, len(table.patterns.items))
    )
    return tuple(Sampled(one, table.patterns, topics) for one in (ORDINAL_ALPHA, EXACT_AGREEMENT))


def numbers(graded: Graded, seed: int, resamples: int) -> Numbers:
    """Distance from gold, agreement above chance, and plain agreement, each with its interval."""
    table = table_of(graded)
    found = grade_report(table, seed, resamples, topics=graded.topic)
    lines = tuple(Line(each.measure, each.estimate, each.chance, each.exact) for each in found.lines)
    cells = table.annotator * table.grades + table.grade
    counts = np.bincount(cells, minlength=len(graded.readers) * table.grades)
    own = Found(
        found,
        graded.labels,
        heaviest(graded.numbers, graded.sizes),
        counts.reshape(-1, table.grades).astype(np.int64),
        topical(graded.rows, graded.topics, len(graded.readers), table.grades, seed)
        if graded.topics
        else None,
    )
    return Numbers(lines, against_gold(table), _left_out(table, graded.readers), own)


def against_gold(table: GradeTable) -> tuple[AnnotatorAccuracy, ...]:
    """Of each annotator: grades on items with gold, and how many of them are the gold grade."""
    gold = table.gold[table.item]
    return accuracies(table.annotator, gold >= 0, gold == table.grade)


def against(graded: Graded, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
    """Grades against those that were decided on, by the measures that gold has, in the words of decisions."""
    table = table_of(graded, np.array(part(graded.keys, answers, 0), dtype=np.int64))
    measures = [of_decisions(one) for one in GOLD_GRADE_MEASURES]
    found = grade_estimates(table, measures, seed, resamples, topics=graded.topic)
    chance = guessing(table.patterns)
    return tuple(
        Line(one, each, chance.get(one.slug), one.slug in chance)
        for one, each in zip(measures, found, strict=True)
    )


def _left_out(table: GradeTable, readers: list[Reader]) -> tuple[LeftOutRange, ...]:
    """Ranges over annotators; none for a single one, nor beyond MOST_LEFT_OUT, where one says little."""
    if not 2 <= len(distinct(table.annotator)) <= MOST_LEFT_OUT:
        return ()
    rest = [(one.patterns, readers[who].pseudonym) for who, one in without_each(table)]
    return tuple(
        found
        for measure in LEFT_OUT
        for found in left_out_range(measure, ((measure.value(patterns), name) for patterns, name in rest))
    )

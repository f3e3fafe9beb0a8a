"""Grades on the live page: agreement so far, how near readers' grades are, and how high each one grades."""

from __future__ import annotations

import numpy as np

from common.tables.table import Cell
from evaluation.kinds.ordinal.grades import Graded, against_gold, table_of
from evaluation.metrics.nominal.pairwise_agreement import AnnotatorAgreement
from evaluation.metrics.nominal.table import FloatArray, distinct
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.ordinal.report import grade_estimates
from evaluation.metrics.ordinal.table import GradeTable
from evaluation.values.live import Seen
from evaluation.values.wording import digits

WITH_OTHERS = "how near own grades are to others’, 100 % equal and 0 % at opposite ends of the scale,"
HABITS = ("Mean grade",)
HABITS_NOTE = "“Mean grade”: the lowest grade is 0. Readers who grade other items may well have other means."


def seen(graded: Graded, seed: int) -> Seen:
    table = table_of(graded)
    measures = (EXACT_AGREEMENT, ORDINAL_ALPHA)
    found = tuple(zip(measures, grade_estimates(table, measures, seed, topics=graded.topic), strict=True))
    near, n_pairs = nearness(table)
    return Seen(
        found,
        tuple(_agreement(table, near, n_pairs, who) for who in distinct(table.annotator)),
        against_gold(table),
        np.bincount(table.item, weights=near, minlength=graded.n_items) / 2,
        {who: (_mean(table, who),) for who in distinct(table.annotator)},
    )


def nearness(table: GradeTable) -> tuple[FloatArray, FloatArray]:
    """(M,) of each grade: 1 − distance / (q − 1) added over the others on its item; how many those are."""
    q = table.grades
    counts = np.bincount(table.item * q + table.grade, minlength=len(table.gold) * q).reshape(-1, q)
    grades = np.arange(q)
    near = 1 - np.abs(grades[:, None] - grades) / (q - 1)
    # A grade is not compared with itself.
    return (counts @ near)[table.item, table.grade] - 1, counts.sum(axis=1)[table.item] - 1.0


def _agreement(table: GradeTable, near: FloatArray, n_pairs: FloatArray, who: int) -> AnnotatorAgreement:
    own = table.annotator == who
    pairs = int(n_pairs[own].sum())
    return AnnotatorAgreement(who, pairs, float(near[own].sum()) / pairs if pairs else None)


def _mean(table: GradeTable, who: int) -> Cell:
    return Cell(digits(float(table.grade[table.annotator == who].mean()), 2))

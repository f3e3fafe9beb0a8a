"""The input of every measure of grades, and its two confusion tables.

A grade is a whole number 0..q-1 (relevance 0-4, a rubric of five steps). Declined answers are not a grade:
leave them out and count them elsewhere. Items that nobody judged enter no measure.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.ratings import Ratings, ratings_of
from evaluation.metrics.nominal.table import (
    BoolArray,
    FloatArray,
    IntArray,
    Patterns,
    distinct,
    patterns_in,
    rows_in,
    tabulate,
)


class GradeTable(NamedTuple):
    """Checked judgments; made by :func:`tabulate_grades`.

    ``item``, ``annotator``, ``grade`` (M,): one entry per judgment.
    ``gold`` (N,): the gold grade of each item, -1 without.
    ``patterns``: the distinct items as counts of grades (P, q), for measures that do not ask who answered.
    """

    item: IntArray
    annotator: IntArray
    grade: IntArray
    gold: IntArray
    patterns: Patterns

    @property
    def grades(self) -> int:
        """q, the number of grades on the scale, used or not."""
        return self.patterns.options

    def ratings(self) -> Ratings:
        """Who gave which grade, without gold."""
        return ratings_of(self.item, self.annotator, self.grade, None, self.grades)

    def rows(self) -> IntArray:
        """(N,) the row of ``patterns`` that each item belongs to, -1 where nobody judged it."""
        q = self.grades
        counts = np.bincount(self.item * q + self.grade, minlength=len(self.gold) * q).reshape(-1, q)
        return rows_in(self.patterns, counts.astype(np.int64), self.gold)


def tabulate_grades(
    item: ArrayLike, annotator: ArrayLike, grade: ArrayLike, gold: ArrayLike, grades: int
) -> GradeTable:
    """Check judgments and count them.

    ``item`` in 0..N-1, ``annotator`` >= 0 and ``grade`` in 0..q-1, parallel arrays (M,); ``gold`` (N,) in
    -1..q-1, -1 where there is none; ``grades`` = q >= 2. Raises ValueError as ``tabulate`` does: unequal
    lengths, values out of range or not whole, two judgments of one annotator on one item.
    """
    table = tabulate(item, annotator, grade, gold, grades, answer="grade")
    return GradeTable(table.item, table.annotator, table.choice, table.gold, table.patterns)


def without_each(table: GradeTable) -> list[tuple[int, GradeTable]]:
    """Each annotator with judgments, by ascending index, and the table of the others' judgments."""
    return [(who, _only(table, table.annotator != who)) for who in distinct(table.annotator)]


def gold_confusion(patterns: Patterns) -> IntArray:
    """(q, q) judgments by gold grade (rows) and given grade (columns), over items with gold."""
    q = patterns.options
    found = np.zeros((q, q), dtype=np.int64)
    known = patterns.keep(patterns.gold >= 0)
    np.add.at(found, known.gold, known.counts * known.items[:, None])
    return found


def coincidences(patterns: Patterns) -> FloatArray:
    """(q, q) Krippendorff's coincidence matrix of the grades given to one item by two annotators.

    o_kl = sum_i n_ik (n_il - [k = l]) / (n_i - 1) over items with two judgments or more; symmetric, each
    judgment counts once, so the sum is the number of judgments on such items.
    """
    kept = patterns.keep(patterns.sizes >= 2)
    counts = kept.counts.astype(np.float64)
    each = kept.items / (kept.sizes - 1)
    found = (counts * each[:, None]).T @ counts
    found[np.diag_indices(patterns.options)] -= each @ counts
    return np.asarray(found, dtype=np.float64)


def _only(table: GradeTable, which: BoolArray) -> GradeTable:
    """The judgments where ``which`` (M,) is true, all items kept."""
    q = table.grades
    item, grade = table.item[which], table.grade[which]
    counts = np.bincount(item * q + grade, minlength=len(table.gold) * q).reshape(-1, q).astype(np.int64)
    return GradeTable(item, table.annotator[which], grade, table.gold, patterns_in(counts, table.gold))

"""What the three tables are made of, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.ranking.compared import Difference
from evaluation.metrics.ranking.evaluated import Evaluated, MeanOfRun
from evaluation.metrics.ranking.graded import Judgments
from evaluation.metrics.ranking.measures import RunMeasure, measures

MEASURES = measures("MRR,success@10,success@20")
LABELS = {"mrr": "MRR", "success_at_10": "P@10", "success_at_20": "P@20"}
"""As the paper calls them."""
TITLES = {
    2: "Lexical, semantic and hybrid systems",
    3: "Soft cosine by what says which words are alike",
    4: "One system by how its queries are cut",
}


class ColumnOf(NamedTuple):
    """One column.

    key: its name in files.
    label: its heading.
    group: what it stands under; empty for nothing.
    printed: the paper's column beside it; empty without one.
    """

    key: str
    label: str
    group: str = ""
    printed: str = ""


class Measured(NamedTuple):
    """One system on tokens or lemmas.

    run: its name; of the oracle the names of both.
    vectors: the name of its word vectors; empty without any.
    depth: most documents a topic that the run holds.
    odd: parameters that are not the ranker's own defaults.
    evaluated: its values query by query.
    means: of every measure, with intervals over queries.
    """

    run: str
    vectors: str
    depth: int
    odd: tuple[str, ...]
    evaluated: Evaluated
    means: tuple[MeanOfRun, ...]

    def mean(self, measure: RunMeasure) -> MeanOfRun:
        """Return the mean of one measure."""
        return next(each for each in self.means if each.measure.slug == measure.slug)


class AllusionTable(NamedTuple):
    """One of the tables.

    number: 2, 3 or 4, as the paper numbers them.
    corpus, topics, qrels: names of what was searched, asked and judged.
    columns: in order.
    cells: by column and words; one that is not here was not run.
    judged: the queries that count.
    left_out: queries without one of the wordings, which no cell counts.
    wordings: of the queries: one, and some in table 4.
    system: whose queries differ in table 4; empty elsewhere.
    base: the name that others are compared with; empty without a comparison.
    picked: whether the base is the best of these systems, picked on the same queries.
    compared: every other minus the base.
    passed_over: runs of which another took the place.
    searched: name and number of the documents that all runs search; empty where they say nothing.
    printed: whether the paper's values stand beside.
    seed, resamples, level: of the intervals.
    """

    number: int
    corpus: str
    topics: str
    qrels: str
    columns: tuple[ColumnOf, ...]
    cells: Mapping[tuple[str, str], Measured]
    judged: Judgments
    left_out: int
    wordings: tuple[str, ...]
    system: str
    base: str
    picked: bool
    compared: tuple[Difference, ...]
    passed_over: tuple[str, ...]
    searched: Mapping[str, Any]
    printed: bool
    seed: int
    resamples: int
    level: float = LEVEL

    @property
    def title(self) -> str:
        """Return what the table shows, in a line."""
        return f"Table {self.number}: {TITLES[self.number]}"

    @property
    def n_several(self) -> int:
        """Return how many queries have several right documents."""
        return int((self.judged.n_relevant > 1).sum())

    @property
    def best(self) -> Measured | None:
        """Return the system of the highest MRR; the oracle is none."""
        return best(self.cells)


def best(cells: Mapping[tuple[str, str], Measured], without: str = "oracle") -> Measured | None:
    """Return what has the highest MRR; of equal ones the first. None of nothing."""
    rows = [each for (column, _), each in cells.items() if column != without]
    return max(rows, key=lambda each: each.evaluated.of(MEASURES[0]).mean(), default=None)

"""What a kind of data is: everything that pages, commands and files ask of it. One folder or one file each;
defining a subclass registers it.

A task type names its kind (``measure``). The kind reads the answers of such a study as arrays, computes
its numbers, and hands over sentences, tables, pictures and readings as values. Pages and commands know this
protocol and no kind. What a new kind does not write itself has a plain form here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from annotation.models import Study
from annotation.tasktypes.base import Answer, TaskType
from common.pictures.marks import Picture
from evaluation.kinds.answers import AsOf, Judged, Rows
from evaluation.kinds.apparatus import Apparatus
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.nominal.pairwise_agreement import AnnotatorAgreement
from evaluation.metrics.nominal.table import FloatArray, IntArray, distinct
from evaluation.metrics.planning.pilot import Sampled
from evaluation.values.cues import CueAudit
from evaluation.values.definitions import Defined, Definitions
from evaluation.values.lines import Line, Numbers
from evaluation.values.live import Seen
from evaluation.values.readers import usual
from evaluation.values.report import KindReport, Report

J = TypeVar("J", bound=Judged)
Answers = Mapping[int, Sequence[int | None]]
"""All numbers of answers (as ``decided`` gives them), by the primary key of the item."""


class Graded(NamedTuple):
    """Judgments whose answers are grades.

    ``grade`` (M,): of each current judgment, -1 where it has none.
    ``highest``: the highest grade of the scale, 0 being the lowest.
    ``labels``: of the grades, lowest first; empty where items have different ones.
    """

    grade: IntArray
    highest: int
    labels: tuple[str, ...]


class Scale(NamedTuple):
    """A place of an answer's numbers that holds one of a few named values.

    ``name``: what is asked there, empty where nothing else is; ``labels``: of its values, in their order.
    ``place``: of the number in the answer.
    """

    name: str
    labels: tuple[str, ...]
    place: int = 0


class DataKind(ABC, Generic[J]):
    """The protocol. ``J`` is what the kind reads of a study.

    ``name``: as a task type's ``measure`` says it; ``apparatus``: how an item's readings are shown and
    written as TEI; ``with_others``: what an annotator's agreement with the others means, for the live page;
    ``likeness_means``: what `likeness` of two answers is, in words;
    ``weightings``: ways in which items can weigh in the report, the usual one first, each with what it says;
    ``queries``: whether answers are words of a passage, which can be queries of a search;
    ``habits``: headings of further columns of readers there, and ``habits_note``: the sentences that
    explain them.
    """

    name: ClassVar[str]
    apparatus: ClassVar[Apparatus] = Apparatus()
    with_others: ClassVar[str] = "share of equal pairs of an own answer and another’s"
    likeness_means: ClassVar[str] = "1 where two answers are equal, else 0"
    weightings: ClassVar[Mapping[str, str]] = {}
    queries: ClassVar[bool] = False
    habits: ClassVar[tuple[str, ...]] = ()
    habits_note: ClassVar[str] = ""
    known: ClassVar[dict[str, type[DataKind[Any]]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.name in DataKind.known:
            raise ValueError(f"two kinds of data call themselves {cls.name!r}")
        DataKind.known[cls.name] = cls

    @abstractmethod
    def read(self, study: Study, as_of: AsOf | None = None) -> J:
        """The study's items, annotators and answers. Raises Unreadable where they fit no table.

        ``as_of``: only what had been answered then, on some of its items.
        """

    @abstractmethod
    def compute(self, study: Study, judged: J, seed: int, resamples: int) -> Numbers:
        """All numbers of the report. Raises Unreadable for answers that do not fit the items."""

    def weighed(self, study: Study, judged: J, seed: int, resamples: int, weighting: str) -> Numbers:
        """The same with items weighing as ``weighting`` says, one of ``weightings`` or empty."""
        return self.compute(study, judged, seed, resamples)

    def nothing(self, judged: J) -> str:
        """Why there is nothing to compute of items such as these, or empty."""
        return ""

    def decided(self, judged: J, task: TaskType, answer: Answer) -> Sequence[int | None]:
        """The numbers of an answer that was decided on, as ``against`` takes them."""
        return task.every_number(answer)

    def against(self, judged: J, answers: Answers, seed: int, resamples: int) -> tuple[Line, ...]:
        """Annotators against decisions. ``answers``: of what was decided, by the item's primary key."""
        return ()

    def describe(self, report: Report) -> KindReport:
        """What only this kind says of a study. ``report.found`` is None where there are no numbers."""
        return KindReport(columns=usual(report))

    def drawings(self, report: Report) -> Iterator[tuple[str, Picture]]:
        """Pictures for print beside the measures, each with the name of its file."""
        return iter(())

    def watch(self, study: Study, judged: J, seed: int) -> Seen:
        """What the live page shows; without a way of its own, the first two measures of the report."""
        numbers = self.compute(study, judged, seed, RESAMPLES)
        first = tuple((each.measure, each.estimate) for each in numbers.lines[:2])
        return Seen(first, equal_to_others(judged), numbers.accuracies, equal_pairs(judged))

    def definitions(self, study: Study, judged: J, seed: int, resamples: int) -> Definitions:
        """Definitions of agreement beside each other; without a choice of its own, the report's measures."""
        lines = self.compute(study, judged, seed, resamples).lines
        return Definitions(
            tuple(Defined(each.measure, each.estimate, each.measure.definition) for each in lines)
        )

    def graded(self, judged: J) -> Graded | None:
        """The grade of each judgment, of which qrels are made; None where answers are no grades."""
        return None

    def likeness(self, judged: J, first: Sequence[int | None], second: Sequence[int | None]) -> float:
        """How alike two answers are, 0 to 1, by their numbers (as ``decided`` gives them)."""
        return float(tuple(first) == tuple(second))

    def majority(self, answers: Sequence[Sequence[int | None]]) -> Sequence[int | None] | None:
        """What more than half of these answers to one item say; None where nothing is."""
        said, times = Counter(map(tuple, answers)).most_common(1)[0]
        return said if 2 * times > len(answers) else None

    def scales(self, judged: J) -> tuple[Scale, ...]:
        """Numbers of an answer whose values mean the same on every item, for tables of confusion; none where
        answers choose between texts or mark them."""
        found = self.graded(judged)
        if found is None:
            return ()
        labels = found.labels or tuple(str(grade) for grade in range(found.highest + 1))
        return (Scale("", labels),)

    def primary(self, judged: J) -> tuple[Sampled, ...]:
        """The kind's first measures, each with its sample: what a plan takes a pilot's widths from, and what
        a stopping rule may look at. Raises Unreadable for answers that do not fit the items."""
        return ()

    def cues(self, study: Study) -> CueAudit | None:
        """What readers who never read would get right; None where nobody chooses between texts."""
        return None


def why_nothing(kind: DataKind[J], judged: J) -> str:
    """Why there are no numbers yet, or empty."""
    if not judged.n_items:
        return "The study has no items yet."
    if kind.nothing(judged):
        return kind.nothing(judged)
    if not any(reader.judged for reader in judged.readers):
        return "Nobody has judged anything yet."
    if not judged.sizes.any():
        return "No answer was given yet: every judgment so far is “can’t decide” or “broken”."
    return ""


def seed_of(study: Study) -> int:
    """The seed of the study's intervals. numpy takes no negative one, so these count from 2^64 down."""
    return int(study.seed) % 2**64


def equal_pairs(judged: Judged) -> FloatArray:
    """(N,) pairs of answers on each item that are equal in all their numbers."""
    rows = judged.rows.only(judged.rows.answered)
    pairs = np.bincount(rows.item, weights=_equal_others(rows) / 2, minlength=judged.n_items)
    return pairs.astype(np.float64)


def equal_to_others(judged: Judged) -> tuple[AnnotatorAgreement, ...]:
    """The share of equal pairs of an own answer and another's on the same item, for each annotator."""
    rows = judged.rows.only(judged.rows.answered)
    equal, others = _equal_others(rows), judged.sizes[rows.item] - 1
    found = []
    for who in distinct(rows.reader):
        own = rows.reader == who
        pairs = int(others[own].sum())
        found.append(AnnotatorAgreement(who, pairs, int(equal[own].sum()) / pairs if pairs else None))
    return tuple(found)


def _equal_others(rows: Rows) -> IntArray:
    """(M,) how many other answers on the same item are equal to this one in all their numbers."""
    each = np.stack([rows.item, *rows.parts])
    _, alike, times = np.unique(each, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(times[alike.ravel()] - 1, dtype=np.int64)


def part(keys: IntArray, answers: Answers, place: int) -> list[int]:
    """(N,) one of the numbers of the answer to each item of ``keys`` (N,), -1 where there is none."""
    found = (answers[key][place] if key in answers else None for key in keys.tolist())
    return [-1 if each is None else each for each in found]

"""What is read of a study whose answers are several spans.

Two plain numbers hold no list, so these studies alone read the answers themselves: a text for each, where
other kinds read columns of an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from annotation.models import Judgment, Outcome, Study
from evaluation.kinds.answers import OUTCOMES, AsOf, Judged, read_items, read_readers, read_rows, work_items
from evaluation.kinds.columns import Unreadable
from evaluation.metrics.nominal.table import BoolArray, IntArray
from evaluation.metrics.spans.units.table import UnitTable, tabulate_units

Borders = tuple[int, ...]
"""Start and end of each span of an answer, one after the other; none where it declines."""
AT_ONCE = 5_000
TAKEN = (OUTCOMES.index(Outcome.ANSWER), OUTCOMES.index(Outcome.UNDECIDED))


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralMarked(Judged):
    """The study's spans.

    ``length`` (N,): tokens of the passage of each work item.
    ``anchor``: (N,) start and (N,) end, -1 where there is none.
    ``answers``: the spans of each judgment that has any, by its primary key; the keys are the second of
        ``rows.parts``, how many spans the first.
    ``gold``: gold spans, by the primary key of the item.
    ``gold_none``: how many items have a gold answer without spans.
    """

    length: IntArray
    anchor: tuple[IntArray, IntArray]
    answers: Mapping[int, Borders]
    gold: Mapping[int, Borders]
    gold_none: int

    @property
    def taken(self) -> BoolArray:
        """(M,) judgments that enter agreement: answers, and those that cannot set the borders."""
        return np.isin(self.rows.outcome, TAKEN)

    @property
    def n_none(self) -> int:
        """Answers that say “no allusion”."""
        return int((self.rows.answered & (self.rows.parts[0] < 0)).sum())


def read(study: Study, as_of: AsOf | None = None) -> SeveralMarked:
    """The study's items, readers and answers; payloads are not read."""
    found = read_items(study, "number_1", "number_2", "number_3")
    keys, every_number = found["id"], study.task_type.every_number
    first = read_readers(study)
    rows, readers = read_rows(first, keys, "number_1", "id", as_of=as_of)
    given = Judgment.objects.current_of((each.key for each in first), as_of and as_of.moment)
    given = given.exclude(number_1=None)
    answers = given.values_list("pk", "answer").iterator(AT_ONCE)
    gold = work_items(study).exclude(gold=None).values_list("pk", "gold").iterator(AT_ONCE)
    borders = {key: _whole(every_number(answer)) for key, answer in gold}
    return SeveralMarked(
        readers=readers,
        sizes=rows.sizes(len(keys)),
        keys=keys,
        numbers=found["number"],
        rows=rows,
        length=found["number_1"],
        anchor=(found["number_2"], found["number_3"]),
        answers={key: _whole(every_number(answer)) for key, answer in answers},
        gold={key: each for key, each in borders.items() if each},
        gold_none=sum(not each for each in borders.values()),
    )


def table_of(marked: SeveralMarked) -> UnitTable:
    """Answers and declined answers as the measures take them. Raises Unreadable for what is neither."""
    kept = marked.taken
    rows = marked.rows.only(kept)
    answers = [marked.answers.get(key, ()) for key in rows.parts[1].tolist()]
    return tabulated(rows.item, rows.reader, answers, marked.length)


def gold_table(marked: SeveralMarked, gold: Mapping[int, Borders]) -> UnitTable:
    """Gold spans, or those decided on, as one annotator's answers. ``gold``: by the item's primary key."""
    own = np.flatnonzero(np.isin(marked.keys, list(gold)))
    return tabulated(own, np.zeros_like(own), [gold[key] for key in marked.keys[own].tolist()], marked.length)


def tabulated(item: IntArray, annotator: IntArray, answers: list[Borders], length: IntArray) -> UnitTable:
    borders = np.fromiter(chain.from_iterable(answers), dtype=np.int64)
    sizes = [len(each) // 2 for each in answers]
    try:
        return tabulate_units(item, annotator, sizes, borders[::2], borders[1::2], length)
    except ValueError as error:
        raise Unreadable(f"The judgments do not fit the items: {error}") from error


def _whole(numbers: Iterable[int | None]) -> Borders:
    return tuple(each for each in numbers if each is not None)

"""What is read of a study of a rubric: of every judgment a number for each question.

An answer holds as many parts as its rubric has questions, so its JSON is read, as that of several spans is:
a text for each judgment, of which the same ones are read once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from annotation.models import Judgment, Outcome, Study
from annotation.tasktypes.rubric.questions import NOT_ASKED, Question, questions_of, same_words, state_of
from evaluation.kinds.answers import AsOf, Judged, read_items, read_readers, read_rows, work_items
from evaluation.kinds.columns import Unreadable
from evaluation.metrics.nominal.table import IntArray

LEFT_OUT, EMPTY = -1, -2
"""The number of a question that was not asked, and of one that was asked and left empty."""
AT_ONCE = 5_000
DIFFER = "Items have different rubrics, and numbers need the same questions on all: build a study for each."


@dataclass
class Coder:
    """Numbers for what was said. ``questions``: of the rubric; ``texts``: the number of each free text."""

    questions: tuple[Question, ...]
    texts: dict[str, int] = field(default_factory=dict)

    def codes(self, answer: Mapping[str, Any]) -> tuple[int, ...]:
        """One number a question: the place of the option, a number for each different text, or why none."""
        return tuple(self._code(each, answer) for each in self.questions)

    def _code(self, question: Question, answer: Mapping[str, Any]) -> int:
        value = answer.get(question.key)
        if value is None:
            return LEFT_OUT if state_of(question, answer) == NOT_ASKED else EMPTY
        if not question.options:
            return self.texts.setdefault(same_words(value), len(self.texts))
        if value not in question.values:
            raise Unreadable(f"An answer says {value!r} to “{question.key}”, which offers no such thing.")
        return question.values.index(value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Answered(Judged):
    """The study's answers; ``options`` is 0, since each question has its own.

    ``coder``: the questions, and how their answers are numbered.
    ``codes`` (M, Q): what each answer says to each question: the place of an option, the number of a text,
        LEFT_OUT or EMPTY; in the order of ``item`` and ``reader`` (M,), their places.
    ``gold`` (N, Q): the same of gold answers, EMPTY without.
    """

    coder: Coder
    item: IntArray
    reader: IntArray
    codes: IntArray
    gold: IntArray

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.coder.questions


def read(study: Study, as_of: AsOf | None = None) -> Answered:
    """The study's items, readers and answers. Raises Unreadable where items have different rubrics."""
    found = read_items(study)
    keys, coder = found["id"], Coder(rubric_of(study))
    first = read_readers(study)
    rows, readers = read_rows(first, keys, "id", as_of=as_of)
    given = rows.only(rows.answered)
    current = Judgment.objects.current_of((each.key for each in first), as_of and as_of.moment)
    current = current.filter(outcome=Outcome.ANSWER)
    said = numbered(coder, current.values_list("pk", Cast("answer", TextField())).iterator(AT_ONCE))
    golden = work_items(study).exclude(gold=None)
    gold = numbered(coder, golden.values_list("pk", Cast("gold", TextField())).iterator(AT_ONCE))
    codes = matrix(said, given.parts[0], coder)
    closed = [place for place, each in enumerate(coder.questions) if each.options]
    every = np.full((len(rows.item), len(coder.questions)), EMPTY, dtype=np.int64)
    every[rows.answered] = codes
    parts = tuple(every[:, place] for place in closed or range(len(coder.questions)))
    return Answered(
        readers=readers,
        keys=keys,
        numbers=found["number"],
        sizes=rows.sizes(len(keys)),
        rows=rows._replace(parts=parts),
        coder=coder,
        item=given.item,
        reader=given.reader,
        codes=codes,
        gold=matrix(gold, keys, coder),
    )


def rubric_of(study: Study) -> tuple[Question, ...]:
    """The questions, the same on every item; none without items. Raises Unreadable for different ones.

    A file may write the same rubric in several ways, such as with its fields in another order.
    """
    written = work_items(study).order_by().values_list("payload__rubric", flat=True).distinct()
    found = {questions_of(each) for each in written.iterator(AT_ONCE)}
    if len(found) > 1:
        raise Unreadable(DIFFER)
    return found.pop() if found else ()


def numbered(coder: Coder, said: Iterator[tuple[int, str]]) -> dict[int, tuple[int, ...]]:
    """The numbers of each answer by its primary key; equal texts of JSON are read once."""
    known: dict[str, tuple[int, ...]] = {}
    found = {}
    for key, text in said:
        if text not in known:
            known[text] = coder.codes(json.loads(text))
        found[key] = known[text]
    return found


def matrix(found: Mapping[int, Sequence[int]], keys: IntArray, coder: Coder) -> IntArray:
    """(M, Q) the numbers of each key, EMPTY where there is none."""
    nothing = (EMPTY,) * len(coder.questions)
    rows = [found.get(key, nothing) for key in keys.tolist()]
    return np.array(rows, dtype=np.int64).reshape(len(keys), len(coder.questions))


def alike(answered: Answered, first: Sequence[int | None], second: Sequence[int | None]) -> float:
    """The share of equal codes among the questions with options that either of two answers was asked; of a
    rubric of free texts alone, among those."""
    closed = [place for place, each in enumerate(answered.questions) if each.options]
    pairs = [(first[place], second[place]) for place in closed or range(len(answered.questions))]
    asked = [one == other for one, other in pairs if (one, other) != (LEFT_OUT, LEFT_OUT)]
    return sum(asked) / len(asked) if asked else 1.0

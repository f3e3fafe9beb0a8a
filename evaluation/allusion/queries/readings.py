"""What was said of the items of a span study: by each reader, by most of them, by an adjudicator, by gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.adjudication.worklist import current_decisions
from annotation.models import Judgment, Outcome, Study
from annotation.tasktypes.span import NO_ALLUSION
from common.errors import BadField
from evaluation.kinds.answers import read_readers, work_items
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of

AT_ONCE = 1_000
FEWEST = 2
"""Answers of which a majority is made."""

Answer = Mapping[str, Any]


class ReadItem(NamedTuple):
    """One item with what was said of it.

    number, payload, provenance: of the item.
    said: the current answer of each reader, by pseudonym, in the order in which they joined.
    undecided: readers who could not set the borders.
    majority: the tokens that more than half of at least two answers mark, or that there is no allusion; None
        where most agree on neither.
    decided: whether an adjudicator decided; `adjudicated` is None where that was to leave it open.
    adjudicated: what was decided.
    gold: the right answer; None where it is not known.
    """

    number: int
    payload: Mapping[str, Any]
    provenance: Mapping[str, Any]
    said: Mapping[str, Answer]
    undecided: int
    majority: Answer | None
    decided: bool
    adjudicated: Answer | None
    gold: Answer | None


def marks_words(study: Study) -> bool:
    """Return whether readers of a study mark words of a passage."""
    try:
        return kind_of(study).queries
    except Unreadable:
        return False


def check(study: Study) -> None:
    """Refuse a study that marks no spans. Raises `BadField`."""
    if not marks_words(study):
        raise BadField(
            "study",
            f'The study "{study.slug}" has the task “{study.task}”: queries are made of spans, which readers '
            "mark in the tasks span and spans.",
        )


def read(study: Study) -> Iterator[ReadItem]:
    """Yield the work items of a study by number, each with what was said of it. Raises `BadField`."""
    check(study)
    readers = {each.key: each.pseudonym for each in read_readers(study)}
    said: dict[int, dict[str, Answer]] = {}
    undecided: dict[int, int] = {}
    # In the order in which readers joined, whoever answered first.
    rows = Judgment.objects.current_of(readers).order_by("annotator", "pk")
    for item, reader, outcome, answer in rows.values_list("item", "annotator", "outcome", "answer"):
        if outcome == Outcome.ANSWER and answer is not None:
            said.setdefault(item, {})[readers[reader]] = answer
        elif outcome == Outcome.UNDECIDED:
            undecided[item] = undecided.get(item, 0) + 1
    decisions = {each.item_id: each.answer for each in current_decisions(study)}
    columns = work_items(study).values_list("pk", "number", "payload", "provenance", "gold")
    for key, number, payload, provenance, gold in columns.iterator(chunk_size=AT_ONCE):
        answers = said.get(key, {})
        yield ReadItem(
            number,
            payload,
            provenance or {},
            answers,
            undecided.get(key, 0),
            _majority(study, list(answers.values())),
            key in decisions,
            decisions.get(key),
            gold,
        )


def _majority(study: Study, answers: Sequence[Answer]) -> Answer | None:
    if len(answers) < FEWEST:
        return None
    if 2 * sum("declined" in each for each in answers) > len(answers):
        return NO_ALLUSION
    numbers = study.task_type.every_number
    borders = list(kind_of(study).majority([numbers(dict(each)) for each in answers]) or ())
    return {"spans": list(zip(borders[::2], borders[1::2], strict=True))} if borders else None

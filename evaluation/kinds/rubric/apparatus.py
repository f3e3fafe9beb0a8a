"""The readings of an item of a rubric: who gave which answers to all of its questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.tasktypes.base import TaskType
from annotation.tasktypes.rubric.questions import questions_of, same_words
from evaluation.kinds.apparatus import Apparatus, Payload, Read, pairs_alike
from evaluation.values.readings import Entry, Piece, Place, Reading, Shown
from evaluation.values.xml import text


class RubricApparatus(Apparatus):
    """A reading is all that a reader said of the text; the text stands as a whole."""

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        """Answers are the same reading where every question is answered alike but for white space."""
        place = tuple(
            position
            for each in questions_of(payload["rubric"])
            for position in _place(each.values, answer.get(each.key))
        )
        return Read("reading", place, task.in_words(payload, answer))

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        around = [payload[name] for name in ("before", "text", "after") if payload.get(name)]
        return Shown((Piece(" ".join(around)),), question=payload.get("topic", ""))

    def agreement(self, places: list[Place]) -> str:
        return pairs_alike(places, "agree on every question")

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        if entry.shown.question:
            yield f'        <ab type="topic">{text(entry.shown.question)}</ab>\n'
        yield from super().tei(entry, key, app)


def _place(values: tuple[str, ...], said: str | None) -> Place:
    """Where an answer stands among those to its question: none first; texts by their letters."""
    if said is None:
        return (-1, 0)
    if values:
        return (values.index(said), 0)
    return (0, int.from_bytes(same_words(said).encode()))

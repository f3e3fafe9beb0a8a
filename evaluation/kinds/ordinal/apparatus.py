"""The readings of a graded passage or document: who gave which grade. They are about it as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from annotation.tasktypes.base import TaskType
from evaluation.kinds.apparatus import Apparatus, Payload, Read, pairs_alike
from evaluation.values.readings import Entry, Piece, Place, Reading, Shown
from evaluation.values.xml import text


class GradeApparatus(Apparatus):
    """Readings of a whole passage: TEI's location-referenced method, outside the text."""

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        read = super().answer(task, payload, answer)
        return read._replace(words=f"{read.place[0]}: {read.words}") if read.place else read

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        if "document" in payload:
            return Shown((Piece(payload["document"]["text"]),), question=payload["topic"]["title"])
        if "passage" not in payload:
            return super().shown(payload, lemma, places)
        return Shown((Piece(payload["passage"]),), question=payload.get("question", ""))

    def agreement(self, places: list[Place]) -> str:
        """``1 of 3 pairs agree, 2 within one grade``."""
        words = pairs_alike(places, "agree")
        if not words:
            return ""
        near = sum(abs(one[0] - other[0]) <= 1 for one, other in combinations(places, 2))
        return f"{words}, {near} within one grade"

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        if entry.shown.question:
            yield f'        <ab type="question">{text(entry.shown.question)}</ab>\n'
        yield from super().tei(entry, key, app)

"""The readings of a gap: what each reader put into it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.tasktypes.base import TaskType
from evaluation.kinds.apparatus import Apparatus, Payload, Read
from evaluation.values.readings import Entry, Piece, Place, Reading, Shown
from evaluation.values.xml import text

GAP = "[…]"


class ChoiceApparatus(Apparatus):
    """Readings stand where they are read: TEI's parallel segmentation, within the text."""

    variants = ("parallel-segmentation", "internal")

    def answer(self, task: TaskType, payload: Payload, answer: Any) -> Read:
        option = answer["option"]
        return Read("reading", (option, option + 1), task.rows(payload, answer)["option_text"])

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        left, right = (" ".join(payload.get(side, ())) for side in ("left", "right"))
        words = lemma.words if lemma else ""
        gap = Piece(words or GAP, in_lemma=bool(words))
        return Shown((Piece(f"{left} "), gap, Piece(f" {right}")), passage=(left, right))

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        left, right = (text(each) for each in entry.shown.passage)
        yield f'        <ab type="passage">{f"{left} {app} {right}".strip()}</ab>\n'

    def ends(self, entry: Entry, key: str) -> str:
        return ""

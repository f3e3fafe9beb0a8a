"""The readings of a gap: what each reader put into it."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.kinds.apparatus import Apparatus, Payload
from evaluation.values.readings import Entry, Piece, Place, Reading, Shown
from evaluation.values.xml import text

GAP = "[…]"


class ChoiceApparatus(Apparatus):
    """Readings stand where they are read: TEI's parallel segmentation, within the text."""

    variants = ("parallel-segmentation", "internal")

    def shown(self, payload: Payload, lemma: Reading | None, places: list[Place]) -> Shown:
        if "left" not in payload and "right" not in payload:
            # Nothing is missing from the passage: what was said of it stands behind it.
            whole = super().shown(payload, lemma, places)
            return whole._replace(passage=("".join(each.text for each in whole.pieces), ""))
        left, right = (" ".join(payload.get(side, ())) for side in ("left", "right"))
        words = lemma.words if lemma else ""
        gap = Piece(words or GAP, in_lemma=bool(words))
        return Shown((Piece(f"{left} "), gap, Piece(f" {right}")), passage=(left, right))

    def tei(self, entry: Entry, key: str, app: str) -> Iterator[str]:
        left, right = (text(each) for each in entry.shown.passage)
        yield f'        <ab type="passage">{f"{left} {app} {right}".strip()}</ab>\n'

    def ends(self, entry: Entry, key: str) -> str:
        return ""

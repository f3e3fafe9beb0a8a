"""Paragraphs that a person sorts otherwise than the rules of ``layout`` do.

A correction is an offset and a kind, so it can be made again on the same text,
whatever the rules will say of the paragraphs around it.
"""

from collections.abc import Mapping, Sequence

from common.errors import BadInput
from retrieval.engine.text.layout import HEADING, PROSE, Part, parts
from retrieval.engine.text.sentences import Segmentation, segment_parts

LEFT_OUT = "by hand"
"""The kind of a paragraph that a person set aside."""
KINDS = (PROSE, HEADING, LEFT_OUT)


def segment_corrected(
    text: str,
    corrections: Mapping[int, str],
    *,
    notes: bool = False,
    known: Mapping[int, str] | None = None,
) -> Segmentation:
    """Segment a stored text with some of its paragraphs, by the offset they start at, given another kind.

    ``notes`` and ``known`` as in ``layout.parts``.

    Raises :class:`BadInput` where no paragraph starts at an offset, a kind is unknown, or a paragraph
    without a word would become prose. What is found still tiles the text.
    """
    return segment_parts(text, corrected(text, parts(text, notes=notes, known=known), corrections))


def corrected(text: str, layout: Sequence[Part], corrections: Mapping[int, str]) -> list[Part]:
    """Return the same paragraphs with the corrections in their places."""
    unknown = corrections.keys() - {part.start for part in layout}
    if unknown:
        raise BadInput(f"No paragraph begins at character {min(unknown)} of the text.")
    return [
        part if part.start not in corrections else _as(text, part, corrections[part.start]) for part in layout
    ]


def _as(text: str, part: Part, kind: str) -> Part:
    if kind not in KINDS:
        raise BadInput(f"A paragraph cannot be {kind!r}; it is one of: {', '.join(KINDS)}.")
    if kind == PROSE and not any(map(str.isalnum, text[part.start : part.end])):
        shown = " ".join(text[part.start : part.end].split())[:40]
        raise BadInput(f"“{shown}” has no letter and no digit, so it is no sentence; it can be set aside.")
    return part._replace(kind=kind)

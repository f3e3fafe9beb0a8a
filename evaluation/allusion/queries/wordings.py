"""The words of a passage as a query: of a span, of a window around the anchor, or of the whole source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.tasktypes.passage import is_word
from common.errors import BadField
from evaluation.allusion.queries.citations import verses

MANUAL, ADJUDICATED, MAJORITY, GOLD, SOURCE = "manual", "adjudicated", "majority", "gold", "source"
WINDOW, READER = "window-", "reader-"
WIDEST = 1_000
"""Words to one side of an anchor."""

Payload = Mapping[str, Any]
Span = tuple[int, int]
"""First token and the token behind the last."""


class Wording(NamedTuple):
    """One query.

    text: the words as they stand in the passage.
    lemmas: of its words, in order, separated by spaces; empty where the passage has none.
    """

    text: str
    lemmas: str = ""


def spans_of(answer: Mapping[str, Any]) -> list[Span]:
    """Return the spans of an answer of the task `span` or `spans`; none where it says “no allusion”."""
    if "declined" in answer:
        return []
    pairs = answer["spans"] if "spans" in answer else [(answer["start"], answer["end"])]
    return [(start, end) for start, end in pairs]


def wording(payload: Payload, spans: Iterable[Span]) -> Wording:
    """Return the words of some spans of a passage, one behind the other. Punctuation has no lemma."""
    text, tokens = payload["text"], payload["tokens"]
    found = list(spans)
    pieces = [text[tokens[start][0] : tokens[end - 1][1]] for start, end in found]
    return Wording(
        " ".join(" ".join(pieces).split()),
        _lemmas(payload, [n for start, end in found for n in range(start, end)]),
    )


def _lemmas(payload: Payload, numbers: Sequence[int]) -> str:
    """The lemmas of those tokens that are words; a word of which none is known stands for itself."""
    lemmata = payload.get("lemmata")
    if not lemmata or not any(lemmata):
        return ""
    words = [(token(payload, n), lemmata[n]) for n in numbers]
    return " ".join((lemma or word).casefold() for word, lemma in words if is_word(word))


def token(payload: Payload, number: int) -> str:
    """Return a token of a passage by its number."""
    first, end = payload["tokens"][number]
    return str(payload["text"][first:end])


def window(payload: Payload, width: int) -> Span | None:
    """Return the anchor with `width` words to each side of it, fewer at the passage's ends; None without one.

    Words are counted, not marks between them.

    Raises:
        BadField: the width is none.
    """
    if not 1 <= width <= WIDEST:
        raise BadField("window", f"A window has 1 to {WIDEST:,} words to each side, not {width}.")
    anchor = payload.get("anchor")
    if anchor is None:
        return None
    first, end = anchor
    words = [n for n in range(len(payload["tokens"])) if is_word(token(payload, n))]
    before = [n for n in words if n < first][-width:]
    behind = [n for n in words if n >= end][:width]
    return (before[0] if before else first), (behind[-1] + 1 if behind else end)


def source(payload: Payload, provenance: Mapping[str, Any]) -> list[Span]:
    """Return where the source stands in its passage: without the verses around it, where they are known.

    An item that was made of references between verses has a line for each verse and names its own source.
    """
    lines = _lines(payload)
    shown = verses(str(payload.get("citation") or ""))
    named = {each for one in provenance.get("source") or () for each in verses(str(one))}
    if len(shown) == len(lines) and named and named <= set(shown):
        return [line for line, verse in zip(lines, shown, strict=True) if verse in named]
    return [(0, len(payload["tokens"]))]


def _lines(payload: Payload) -> list[Span]:
    """The tokens of each line of the passage."""
    text, tokens = payload["text"], payload["tokens"]
    breaks = [n for n in range(1, len(tokens)) if "\n" in text[tokens[n - 1][1] : tokens[n][0]]]
    return list(zip([0, *breaks], [*breaks, len(tokens)], strict=True))

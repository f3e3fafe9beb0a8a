"""Remove from a critic's sentences what only the printed page put there.

Thai et al. (2022, appendix A) remove in-line citations, headers, footers, page
numbers and word breaks, because the page number of a quotation gives the answer
away. Each rule is one function from a text to the spans it would cut; the text
itself is never changed, so that offsets into the stored source stay good.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from retrieval.engine.quotations.citations import references
from retrieval.engine.text.numbering import value

Span = tuple[int, int]

_PAGE_MARK = re.compile(
    r"\{ ?(?:p(?:age|\.)? ?)?\d{1,4}[a-z]? ?\}|\[(?:pp?\.|pages?) ?\d{1,4}(?:[-–]\d{1,4})?\]", re.IGNORECASE
)
_FOOTNOTE_MARK = re.compile(r"\[(?:\d{1,3}|[*†‡])\]|[¹²³⁰-⁹]+|(?<=[\w.,;:!?\"”’'])[*†‡]+(?=[\s.,;:!?]|$)")
_CAPITALS = r"[A-Z][A-Z .,'’&:-]{3,60}"
_HEAD = re.compile(
    rf"^[ \t]*(?:\d{{1,4}}[ \t]+(?P<after>{_CAPITALS})|(?P<before>{_CAPITALS})[ \t]+\d{{1,4}})[ \t]*$",
    re.MULTILINE,
)
_LONE_NUMBER = re.compile(r"^[ \t]*(?:-? ?\d{1,4} ?-?|[Pp](?:age|\.) ?\d{1,4})[ \t]*$", re.MULTILINE)
_BROKEN_WORD = re.compile(r"(?<=[a-z]{2})(?P<hyphen>[-­]\s+)(?=[a-z]{2})(?!(?:and|or|to|nor|but)\b)|­")
_ITALICS = re.compile(r"(?<![^\W_])_(?=\S)|(?<=\S)_(?![^\W_])")
_SPACE_BEFORE_MARK = re.compile(r" (?=[,.;:!?](?: |$))")
_PRINTED = re.compile(r"\S")
_FIGURE = re.compile(r"\((?:\d{1,2}|(?P<small>[ivx]{1,5})|(?P<capitals>[IVX]{1,5}))\)")
_STEP_REACH = 1500  # characters from one step of a count to the next
_COUNTS_AT_ONCE = 3
"""Counts, by figures and by letters, that may run one within the other."""


class Cut(NamedTuple):
    """Something that was cut.

    rule: the name of the rule that cut it.
    start, end: half-open offsets in the text.
    printed: the characters between them.
    """

    rule: str
    start: int
    end: int
    printed: str


def page_marks(text: str) -> Iterator[Span]:
    """``{73}`` and ``[p. 73]``: where a page of the printed edition begins."""
    return _spans(_PAGE_MARK, text)


def page_references(text: str) -> Iterator[Span]:
    """``(p. 41)``, ``(112)``, ``(vol. ii, ch. 3)``, ``(II.iii.45)``, ``(vgl. S. 45)``; no lone year."""
    return ((each.start, each.end) for each in references(text) if not each.named)


def steps(text: str) -> list[Span]:
    """Where the critic counts, ``(1) … (2)``, ``(i) … (ii)``: from 1 on, none left out."""
    counts: list[tuple[str | None, list[Span]]] = []
    for found in _FIGURE.finditer(text):
        number, kind = value(found[0][1:-1].upper()), found.lastgroup
        if number == 1:
            counts.append((kind, [found.span()]))
            continue
        last = next((spans for of, spans in reversed(counts[-_COUNTS_AT_ONCE:]) if of == kind), [])
        if last and number == len(last) + 1 and found.start() - last[-1][1] <= _STEP_REACH:
            last.append(found.span())
    return [span for _, spans in counts if len(spans) > 1 for span in spans]


def citations(text: str) -> Iterator[Span]:
    """``(Austen 45)``, ``(Legum, 1972)``, ``(_Emma_, 112)``, ``(Žižek et al. 45)``, not ``(Apollo 11)``."""
    return ((each.start, each.end) for each in references(text) if each.named)


def footnote_marks(text: str) -> Iterator[Span]:
    """``[12]``, superscript figures, and stars or daggers at a word's end."""
    return _spans(_FOOTNOTE_MARK, text)


def running_heads(text: str) -> Iterator[Span]:
    """Whole lines of capitals with a page number, and lines that are only a page number."""
    for found in _HEAD.finditer(text):
        words = found["after"] or found["before"]
        if not words.startswith(("CHAPTER", "LETTER", "PART", "BOOK", "VOLUME")):
            yield found.span()
    if "\n" in text:
        yield from _spans(_LONE_NUMBER, text)


def broken_words(text: str) -> Iterator[Span]:
    """The hyphen and white space in ``worth- lessness``, but not in ``two- and three-fold``."""
    return _spans(_BROKEN_WORD, text)


def italics(text: str) -> Iterator[Span]:
    """The underscores of ``_Emma_``, not those inside a word."""
    return _spans(_ITALICS, text)


RULES: tuple[tuple[str, Callable[[str], Iterator[Span]]], ...] = (
    ("page mark", page_marks),
    ("page reference", page_references),
    ("citation", citations),
    ("footnote mark", footnote_marks),
    ("running head", running_heads),
    ("broken word", broken_words),
    ("italics", italics),
)
# White space stays where these stood; the others close up with what is before them.
_LAYOUT = frozenset({"broken word", "italics"})


def cuts(text: str, counted: Collection[str] = ()) -> list[Cut]:
    """Return what :func:`clean` removes from the text, in order; where rules overlap the first one counts.

    ``counted``: figures in brackets that number the critic's steps in a longer text which this is part of.
    """
    found: list[Cut] = []
    kept_ends = {end for _, end in steps(text)}
    for rule, spans in RULES:
        found += [
            Cut(rule, start, end, text[start:end])
            for start, end in spans(text)
            if rule != "page reference" or (end not in kept_ends and text[start:end].strip() not in counted)
        ]
    found.sort(key=lambda cut: (cut.start, -cut.end))
    kept: list[Cut] = []
    for cut in found:
        if not kept or cut.start >= kept[-1].end:
            kept.append(cut)
    return kept


def clean(text: str, counted: Collection[str] = ()) -> str:
    """Return the text without what :func:`cuts` names, white space collapsed."""
    pieces = []
    at = 0
    for cut in cuts(text, counted):
        pieces.append(text[at : cut.start])
        at = cut.end
    pieces.append(text[at:])
    return _SPACE_BEFORE_MARK.sub("", " ".join("".join(pieces).split()))


def blank(text: str) -> str:
    """Return the text with the artefacts overwritten by spaces, every other character in its place.

    Italics and broken words stay: they part no sentence, and words are compared without them.
    """
    pieces = []
    at = 0
    for cut in cuts(text):
        if cut.rule not in _LAYOUT:
            pieces += [text[at : cut.start], _PRINTED.sub(" ", cut.printed)]
            at = cut.end
    pieces.append(text[at:])
    return "".join(pieces)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (found.span() for found in pattern.finditer(text) if found.end() > found.start())

"""Remove from a critic's sentences what only the printed page put there.

Thai et al. (2022, appendix A) remove in-line citations, headers, footers, page
numbers and word breaks, because the page number of a quotation gives the answer
away. Each rule is one function from a text to the spans it would cut; the text
itself is never changed, so that offsets into the stored source stay good.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

Span = tuple[int, int]

# These meet whatever somebody types, so each takes steps in proportion to the text: what can end in one way
# only is possessive (*+, ++, ?+), a list is a row of tokens, and a search begins where white space begins.
_ROMAN = r"(?=[ivxlc])(?:x{0,3}l?x{0,3})(?:ix|iv|v?i{0,3})(?<=[ivxl])\b"
# The letter of "12a" and "12aff." begins no word, and is not that of "12f." or "12n. 3".
_NUMBER = r"\d{1,4}+(?:(?!ff?\.|nn?\.\s?\d)[a-z](?![a-eg-mo-z]))?+"
_NOTE = r"nn?\.?+\s?+\d*+"
_PASSIM = r"(?:et\s)?_?passim(?![^\W_])_?+"
_PAGES = (
    rf"{_NUMBER}(?:\s?+[-–—,;/&]\s?+(?:{_NUMBER}|{_NOTE}))*+(?:\s?ff?\.)?+(?:,?+\s?nn?\.\s?\d++)?+"
    rf"(?:,?+\s{_PASSIM})?+"
)
_UNIT = (
    r"(?:vols?|ch|chaps?|chapter|bk|book|pp?|pages?|sec|section|part|pt|letter|n|no|ll?|lines?)\b\.?+\s?+"
    r"(?=[ivxlc\d])"
)
_PLACE = rf"(?:{_UNIT}|{_ROMAN}|{_NUMBER}|{_NOTE}|ff?\.|{_PASSIM})"
_PLACES = rf"{_UNIT}{_PLACE}(?:\s?+[-–—,;:./&]?+\s?+{_PLACE})*+\.?+"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+\b"
_NAME = rf"(?!(?i:{_MONTH})|In\b|On\b|Born\b|Died\b)[A-Z][\w'’.-]*+"
# A closing underscore is one of the name's own letters.
_NAMES = rf"_?{_NAME}(?:(?:,? (?:and|&|et al\.?|of|the|de|von|van)|,)?+ _?{_NAME})*+"
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_CITED = rf"{_NAMES},? (?>{_PLACES}|{_YEAR}[,:] ?(?:{_PLACES}|{_PAGES})|{_PAGES})"

_PAGE_MARK = re.compile(
    r"\{ ?(?:p(?:age|\.)? ?)?\d{1,4}[a-z]? ?\}|\[(?:pp?\.|pages?) ?\d{1,4}(?:[-–]\d{1,4})?\]", re.IGNORECASE
)
_PAGE_REFERENCE = re.compile(
    r"(?<!\s)\s*+[(\[](?:cf\.|see also|see|_?ibid\.?_?,?|_?op\. cit\.?_?,?|qtd\. in)?+\s*+"
    rf"(?:{_PLACES}|(?!{_YEAR}(?:\s?[-–—]\s?\d{{2,4}})?[)\]])"
    # A single figure counts an argument's steps, unless the sentence pauses behind it.
    rf"(?!\d\)(?!\s*+(?:[.,;:!?]|$))){_PAGES}(?=\)))[)\]]",
    re.IGNORECASE,
)
_CITATION = re.compile(
    r"(?<!\s)\s*+(?:[(\[](?:(?:see|cf\.|qtd\. in|quoted in|e\.g\.,?)(?: also)? )?+"
    rf"{_CITED}(?:; ?{_CITED})*+[)\]]"
    r"|\(_?[Ii]bid_?\.?_?\))"
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
    """``(p. 41)``, ``(112)``, ``(pp. 3-5)``, ``(vol. ii, ch. 3)``, ``(ibid., 9)``; a lone year is none."""
    return _spans(_PAGE_REFERENCE, text)


def citations(text: str) -> Iterator[Span]:
    """``(Austen 45)``, ``(Legum, 1972)``, ``(_Emma_, 112)``, ``(see Booth 1961, 243; Wiltshire 9)``."""
    return _spans(_CITATION, text)


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
    """The hyphen and white space in ``worth- lessness``; ``two- and three-fold`` keeps its own."""
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


def cuts(text: str) -> list[Cut]:
    """Return what :func:`clean` removes from the text, in order; where rules overlap the first one counts."""
    found: list[Cut] = []
    for rule, spans in RULES:
        found += [Cut(rule, start, end, text[start:end]) for start, end in spans(text)]
    found.sort(key=lambda cut: (cut.start, -cut.end))
    kept: list[Cut] = []
    for cut in found:
        if not kept or cut.start >= kept[-1].end:
            kept.append(cut)
    return kept


def clean(text: str) -> str:
    """Return the text without what :func:`cuts` names, white space collapsed."""
    pieces = []
    at = 0
    for cut in cuts(text):
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

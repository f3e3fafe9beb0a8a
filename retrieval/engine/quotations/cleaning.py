"""Remove from a critic's sentences what only the printed page put there.

Thai et al. (2022, appendix A) remove in-line citations, headers, footers, page
numbers and word breaks, because the page number of a quotation gives the answer
away. Each rule is one function from a text to the spans it would cut; the text
itself is never changed, so that offsets into the stored source stay good.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

Span = tuple[int, int]

# These meet whatever somebody types, so each takes steps in proportion to the text: what can end in one way
# only is possessive (*+, ++, ?+), a list is a row of tokens, and a search begins where white space begins.
_ROMAN = r"(?=[ivxlc])(?:x{0,3}l?x{0,3})(?:ix|iv|v?i{0,3})(?<=[ivxl])\b"
# The letter of "12a" and "12aff." begins no word, and is not that of "12f." or "12n. 3".
_NUMBER = r"\d{1,4}+(?:(?!ff?\.|nn?\.\s?\d)[a-z](?![a-eg-mo-z]))?+"
_ONWARDS = r"(?:\s?+(?:ff?\.|et\sseqq?\.?))"
_NOTE = r"nn?\.?+\s?+\d*+"
_PASSIM = r"(?:et\s)?_?passim(?![^\W_])_?+"
# Between one place and the next: a sign, "and", or both.
_AND = r"(?:(?:and|und|u\.|et(?!\sseq|\s_?passim)|&)\s|(?:cf\.|see)\s)"
_PAGES = (
    rf"{_NUMBER}{_ONWARDS}?+(?:\s?+(?:[-–—,;/&]\s?+(?:{_AND})?+|{_AND})(?:{_NUMBER}{_ONWARDS}?+|{_NOTE}))*+"
    rf"(?:,?+\s?nn?\.\s?\d++)?+(?:,?+\s{_PASSIM})?+"
)
# Act, scene and line: II.iii.45, 2.3.45-48, II. iii.
_ACT = (
    r"(?:[ivxIVX]{1,5}\.\s?[ivxIVX]{1,6}(?:\.\s?\d{1,4})?+|\d{1,2}\.\d{1,2}\.\d{1,4})(?![^\W_])"
    r"(?:\s?+[-–—]\s?+\d{1,4})?+(?:ff?\.)?+"
)
_UNIT = (
    r"(?:(?:vols?|chs?|chaps?|chapters?|bk|book|pp?|pages?|sec|section|part|pt|letter|ll?|lines?|bd)\b"
    # "No. I" is the critic's first of several things, "S." the German page.
    r"\.?+\s?+(?=[ivxlc\d])|(?:nos?|n|s)\.\s?+(?=\d))"
)
_PLACE = rf"(?:{_UNIT}|{_ROMAN}|{_NUMBER}|{_NOTE}|ff?\.|et\sseqq?\.?+|{_PASSIM})"
_PLACES = rf"{_UNIT}{_PLACE}(?:\s?+(?:[-–—,;:./&]\s?+)?+(?:{_AND})?+{_PLACE})*+\.?+"
_WHOSE = (
    r"[;,]\s(?:my|original|added)?+\s?+(?:emphas[ie]s|italics|translations?)"
    r"(?:\s(?:mine|added|original|in\s(?:the\s)?original))?+"
)
# MLA's form for novels, which go by many editions: "(45; ch. 3)". A volume and its page: "(1: 45)".
_OF_EDITIONS = rf"(?:\d{{1,2}}: )?+{_PAGES}(?:;\s{_PLACES})?+"
_LEAD = r"(?:cf\.|vgl\.|siehe|voir|see(?:\salso)?|qtd\.\sin|quoted\sin|zit\.\snach|e\.g\.,?)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+\b"
# Capitals of Latin letters with accents, of Greek and of Cyrillic as well: Žižek, Łódź, Čapek.
_CAPITAL = "[A-Z" + "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isupper()) + "]"
# Things that go by a number of their own: the critic speaks of them.
_COUNTED = (
    r"(?:Apollo|Sputnik|Voyager|Boeing|Flight|Route|Highway|Channel|Studio|Area|Formula|Catch|Fahrenheit"
    r"|Opus|Op|Symphony|Sonata|Quartet|Sonnet|Psalm|Canto|Hymn|Article|Amendment|Figure|Fig|Table|Plate)"
)
_NAME = rf"(?!(?i:{_MONTH})|[IVX]{{1,5}}\.\s?[ivxIVX]{{1,6}}\.|In\b|On\b|Born\b|Died\b){_CAPITAL}[\w'’.&-]*+"
_PARTICLES = r"(?:(?:de|du|von|van|den|der|di|da|del|la|le) )*+"
# A closing underscore is one of the name's own letters.
_NAMES = (
    rf"_?{_PARTICLES}{_NAME}(?:(?:,? (?:and|&|et al\.?|of|the|de|von|van)|,)?+ _?{_NAME})*+"
    r"(?:,? (?:et al\.?+|u\. ?a\.))?+"
)
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_CITED = (
    rf"(?!{_COUNTED}\.? \d++[)\]]){_NAMES},? "
    rf"(?>{_ACT}|{_PLACES}|{_YEAR}[,:] ?(?:{_PLACES}|{_PAGES})|{_OF_EDITIONS})"
)

_PAGE_MARK = re.compile(
    r"\{ ?(?:p(?:age|\.)? ?)?\d{1,4}[a-z]? ?\}|\[(?:pp?\.|pages?) ?\d{1,4}(?:[-–]\d{1,4})?\]", re.IGNORECASE
)
_PAGE_REFERENCE = re.compile(
    rf"(?<!\s)\s*+[(\[](?:{_LEAD}|_?ibid\._?,?|_?ibid_?,?|_?op\. cit\.?_?,?|ebd\.,?)?+\s*+"
    rf"(?:(?:{_ACT}|{_PLACES})(?:{_WHOSE})?+|(?!{_YEAR}(?:\s?[-–—]\s?\d{{2,4}})?[)\]])"
    # A single figure counts an argument's steps, unless the sentence pauses behind it.
    rf"(?!\d\)(?!\s*+(?:[.,;:!?]|$))|\d(?:,\s\d)*+,?\s{_AND}\d\)){_OF_EDITIONS}(?:{_WHOSE})?+(?=\)))[)\]]",
    re.IGNORECASE,
)
_CITATION = re.compile(
    rf"(?<!\s)\s*+(?:[(\[](?:(?i:{_LEAD})(?: also)? )?+"
    rf"{_CITED}(?:[;,]? ?(?:and )?{_CITED})*+(?:{_WHOSE})?+[)\]]"
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
_FIGURE = re.compile(r"\(\d{1,2}\)")
_STEP_REACH = 1500  # characters from one step of a count to the next


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
    return _spans(_PAGE_REFERENCE, text)


def steps(text: str) -> list[Span]:
    """Where the critic counts, ``(1) … (2) … (3)``: figures in brackets from 1 on, none left out."""
    counts: list[list[Span]] = []
    for start, end in _spans(_FIGURE, text):
        number = int(text[start + 1 : end - 1])
        if number == 1:
            counts.append([(start, end)])
        elif counts and number == len(counts[-1]) + 1 and start - counts[-1][-1][1] <= _STEP_REACH:
            counts[-1].append((start, end))
    return [span for count in counts if len(count) > 1 for span in count]


def citations(text: str) -> Iterator[Span]:
    """``(Austen 45)``, ``(Legum, 1972)``, ``(_Emma_, 112)``, ``(Žižek et al. 45)``, not ``(Apollo 11)``."""
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

"""Sentences by rule, as offsets into the unchanged text.

A paragraph's end is a sentence's end. Inside a paragraph a sentence ends behind
``.``, ``!``, ``?`` or an ellipsis and the closing quotation marks and brackets
that follow it, where white space comes next; not before a lower-case word, not
behind a title (``Mr.``) or an initial, and not between a question in quotation
marks and the words that say who asked it. A dash ends nothing by itself. RELiC (Thai et
al. 2022, section 2.1, footnote 5) ends sentences at ellipses, colons and
semicolons too.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from retrieval.engine.text.abbreviations import is_abbreviated, next_letter
from retrieval.engine.text.layout import HEADING, PROSE, Part, parts

Span = tuple[int, int]


class Segmentation(NamedTuple):
    """A text in parts, which together hold every non-white character exactly once.

    sentences: half-open offsets, in code points.
    headings: the same, of chapters' headings.
    left_out: offsets and kind of what is neither: "contents", "index", "footnote", "editor's note",
        "transcriber's note", "front matter", "summary", "dateline", "illustration", "ornament" or
        "page number".
    """

    sentences: list[Span]
    headings: list[Span]
    left_out: list[tuple[int, int, str]]


# What may stand between a sentence's last mark and the white space, with the number of a footnote.
# German closes with the marks that others open with: »Wer da?« and „Wer da?“.
_CLOSERS = "[\"'”’»«“‘›‹)\\]_]*+(?:\\[(?:[0-9]{1,3}|[*])\\]|[*†‡])?+"
_ELLIPSIS = r"(?:\.(?:[ \xa0]\.){2,}+|\.{3,}+|…)[.…]*+"
_DASH = r"(?:--|—)\s?[\"“'‘_(]*+[^\W_]"
# Of a longer row of marks the last forty count: where a row ends nothing, each of its marks is tried in turn.
_END = re.compile(
    rf"{_ELLIPSIS}[!?]*+{_CLOSERS}|(?P<mark>[.!?]{{1,40}}+{_CLOSERS})(?=\s|{_DASH})|[;:]{_CLOSERS}(?=\s|-|—|–)"
)
_ASKED = re.compile(
    r"(?<!\s)\s++(?:(?:Mr|Mrs|Dr)\.? |(?:Miss|Lady|Sir|Captain|Colonel|Admiral|Aunt|Uncle|the) )?"
    r"(?:I|[A-Z][\w’'-]++(?: [A-Z][\w’'-]++)?+) "
    r"(?:said|cried|asked|replied|exclaimed|answered|returned|inquired|enquired|whispered|murmured|muttered|shouted"
    r"|called|demanded|repeated|observed)\b"
)
_PRONOUNS = re.compile(r"(?<!\s)\s++(?:He|She|They|It|We|You|Who|And|But|Then|So)\b")
_ALPHANUMERIC = re.compile(r"[^\W_]")
# "BEAUTY: What of me?": who speaks is no sentence, and neither is "--GENESIS." behind what is quoted.
_SPEAKER = re.compile(
    r"(?=[^\n]{0,50}[A-ZÄÖÜ]{3})[A-ZÄÖÜ\d][A-ZÄÖÜ\d '’.-]{1,48}(?:\([^()\n]{1,60}\) ?)?[.:]"
)
_SMALL = re.compile(r"[^\W\d_A-ZÄÖÜ]")
_NAMED = re.compile(r"(?:--|—)\s?[A-ZÄÖÜ][A-ZÄÖÜ '’.,-]{2,60}")


def segment(text: str, *, notes: bool = False, known: Mapping[int, str] | None = None) -> Segmentation:
    """Split a stored text into sentences, headings and what else is set aside.

    ``notes`` and ``known`` as in ``layout.parts``.
    """
    return segment_parts(text, parts(text, notes=notes, known=known))


def segment_parts(text: str, layout: Iterable[Part]) -> Segmentation:
    """Split a text whose paragraphs are sorted already; white ones among them are passed over."""
    found = Segmentation([], [], [])
    breaks = list(_breaks(text))
    for start, end, kind in layout:
        if not text[start:end].strip():
            continue
        if kind == PROSE:
            inside = breaks[bisect_left(breaks, start + 1) : bisect_left(breaks, end)]
            found.sentences.extend(_pieces(text, start, end, _kept(text, start, end, inside)))
        elif kind == HEADING:
            found.headings.append((start, end))
        else:
            found.left_out.append((start, end, kind))
    return found


def _kept(text: str, start: int, end: int, breaks: list[int]) -> list[int]:
    """The breaks of a paragraph, but for the one behind who speaks and the one in front of whom it quotes."""
    if breaks and _SPEAKER.fullmatch(text, start, breaks[0]) and text[breaks[0]] == " ":
        said = text[breaks[0] : end]
        breaks = breaks[1:] if _SMALL.search(said) else breaks
    if breaks and _NAMED.fullmatch(text[breaks[-1] : end].strip()):
        breaks = breaks[:-1]
    return breaks


def _pieces(text: str, start: int, end: int, breaks: list[int]) -> Iterator[Span]:
    """Cut at the breaks; a piece without a letter or digit goes to its neighbour."""
    begin = start
    held = -1  # end of a worded piece that waits for wordless pieces behind it
    for last, stop in pairwise((start, *breaks, end)):
        worded = _ALPHANUMERIC.search(text, last, stop) is not None
        if held < 0:
            held = stop if worded else -1
        elif worded:
            yield _trim(text, begin, held)
            begin, held = held, stop
        else:
            held = stop
    if begin < end:
        yield _trim(text, begin, end)


def _trim(text: str, start: int, end: int) -> Span:
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def _breaks(text: str) -> Iterator[int]:
    for found in _END.finditer(text):
        if found["mark"] is None or _ends(text, found):
            yield found.end()


def _ends(text: str, found: re.Match[str]) -> bool:
    at = found.end()
    mark, following = found["mark"], next_letter(text, at)
    if following is not None and following.islower():
        # "manners!--so much ease": where ";--" ends, the stronger mark does too.
        return text[at] in "-—" and mark[-1] in "!?"
    if mark[0] == "." and len(mark) == 1:
        return not is_abbreviated(text, found.start(), at)
    if mark[-1] in "\"”'’»«“‘" and mark[0] in "?!":
        return _ASKED.match(text, at) is None or _PRONOUNS.match(text, at) is not None
    return True

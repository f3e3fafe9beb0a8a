"""Sort a text's paragraphs into prose, headings, and what is set aside.

The judgement is by form and place only, where the file says nothing itself: contents lists, transcribers'
notes, indexes, ornaments and lone page numbers are no part of the work; footnotes, datelines and the
summaries above chapters are, and are no sentences of its text.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from retrieval.engine.text.datelines import dateline
from retrieval.engine.text.headings import (
    LONGEST,
    holds_sentence,
    is_capitals,
    is_chapter,
    is_named,
    is_number,
    is_title,
)
from retrieval.engine.text.numbering import numbered_titles
from retrieval.engine.text.summaries import is_summary

PROSE, HEADING = "prose", "heading"
CONTENTS, INDEX, NOTE, FOOTNOTE = "contents", "index", "transcriber's note", "footnote"
ORNAMENT, PAGE_NUMBER, ILLUSTRATION = "ornament", "page number", "illustration"
DATELINE, SUMMARY, FRONT_MATTER, EDITORS_NOTE = "dateline", "summary", "front matter", "editor's note"

_PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?![^\S\n]*+(?:\n|\Z))[^\n]*+)*+")
_ALPHANUMERIC = re.compile(r"[^\W_]")
_CONTENTS = re.compile(
    r"(?:table of )?contents[.:]?|list of illustrations[.:]?|illustrations[.:]", re.IGNORECASE
)
_INDEX = re.compile(r"(?:general )?index[.:]?|index of .{1,40}", re.IGNORECASE)
_NOTE = re.compile(
    r"\[?_?(?:original )?(?:transcriber|transcriptionist|editor)['’]?s?['’]? notes?\b|a note on the text\b"
    r"|note: project gutenberg|transcribed (?:by|from) .{3,80}(?:email|edition by)"
    r"|produced by .{3,80}|e-?text prepared by|this e-?(?:book|text) was (?:produced|prepared)",
    re.IGNORECASE,
)
_FOOTNOTES = re.compile(r"(?:foot)?notes[.:]?|end ?notes[.:]?", re.IGNORECASE)
_MARKED = re.compile(
    r"\A(?:(?P<mark>\[(?:\d{1,3}|[A-Z]|\*)\]|\{\d{1,3}[a-z]?\}|\[Footnote\b)(?=\W*+\w)"
    r"|(?:\*|†|‡) ?(?! ?[*†‡])(?=\S))"
)
_LONGEST_NOTE = 12
"""Paragraphs of a footnote in brackets."""
_EDITORS = re.compile(
    r"(?:--|—|[\[( ])(?:ed(?:itor|s)?|tr(?:ans(?:lator|l)?)?|transcriber)\.?_?[\])]*$", re.IGNORECASE
)
_REFERRED = re.compile(r"\{\d{1,3}[a-z]?\}|\[\d{1,3}\]")
_LONE_PAGE = re.compile(
    r"[{\[(] ?(?:p(?:age|\.)? ?)?\d{1,4} ?[}\])]|(?:page|p\.) ?\d{1,4}|- ?\d{1,4} ?-|\d{3,4}", re.IGNORECASE
)
_PICTURE = re.compile(r"\[(?:illustration|frontispiece|title page|picture|map|plate)\b", re.IGNORECASE)
_LEADING_PAGE = re.compile(r"\{\d{1,4}\}\s*")
_REFERENCE = re.compile(r"[,.] ?(?:[ivxl]+|\d{1,4})(?:[-–,;. ]|$)|_(?:see|see also)\b", re.IGNORECASE)
_CLOSED = re.compile(r"[.!?…:;][\"'”’)\]_]*$")
_ENTRY = re.compile(r"\A(?:chapter|letter|book|part) \w+")
_NO_WORD = re.compile(r"\W+")
_PAGE_OF_ENTRY = re.compile(r" (?:\d+|[ivxl]+)$")


class Part(NamedTuple):
    """A paragraph.

    start, end: half-open offsets in the text, white space trimmed.
    kind: "prose", "heading", or what a part that is neither is, such as "footnote".
    """

    start: int
    end: int
    kind: str


def parts(text: str, *, notes: bool = False, known: Mapping[int, str] | None = None) -> list[Part]:
    """Return the paragraphs of the text in order, each with its kind; a dateline is parted from the rest.

    Together they hold every non-white character of the text once. With ``notes`` the author's footnotes are
    prose. ``known`` gives the kinds, by the offset a paragraph starts at, of which the file itself was sure.
    """
    spans = list(_paragraph_spans(text))
    marks = known or {}
    sorter = _Sorter([text[start:end] for start, end in spans], [marks.get(start, "") for start, _ in spans])
    kinds = sorter.kinds()
    found = [Part(start, end, kind) for (start, end), kind in zip(spans, kinds, strict=True)]
    return [
        part._replace(kind=PROSE) if notes and part.kind == FOOTNOTE else part
        for whole in found
        for part in _undated(text, whole)
    ]


def _undated(text: str, part: Part) -> Iterator[Part]:
    length = dateline(text[part.start : part.end]) if part.kind == PROSE else 0
    if length:
        yield Part(part.start, part.start + length, DATELINE)
        part = part._replace(start=part.start + length)
    if part.start < part.end:
        yield part


def _paragraph_spans(text: str) -> Iterator[tuple[int, int]]:
    for found in _PARAGRAPH.finditer(text):
        yield found.start(), found.start() + len(found[0].rstrip())


class _Sorter:
    """Walks over the paragraphs once, remembering which section it is in."""

    def __init__(self, paragraphs: list[str], known: list[str]) -> None:
        self.paragraphs, self.known = paragraphs, known
        self.numbered = numbered_titles(paragraphs)
        # Where all is in capitals, capitals mark nothing.
        shown = "".join(paragraphs[:400])[:20000]
        self.shouts = sum(map(str.isupper, shown)) > 2 * sum(map(str.islower, shown))
        self.seen: set[str] = set()

    def kinds(self) -> list[str]:
        found: list[str] = []
        at = 0
        first_chapter = self._first_chapter()
        while at < len(self.paragraphs):
            # The file says that "Contents" is a heading; what it heads is a list all the same.
            length, kind = self._section(at) if self.known[at] in ("", HEADING) else (1, self.known[at])
            if not length:
                kind = self.known[at] or self._single(at, found[-1] if found else "", first_chapter)
                length = 1
            found += [kind] * length
            for paragraph in self.paragraphs[at : at + length]:
                self.seen.update(_REFERRED.findall(paragraph))
            at += length
        return found

    def _first_chapter(self) -> int:
        for number, paragraph in enumerate(self.paragraphs[:60]):
            if self._begins_chapter(number) or (is_number(paragraph) and len(paragraph) < 8):
                return number
        return 0

    def _begins_chapter(self, at: int) -> bool:
        return self.known[at] == HEADING or at in self.numbered or is_chapter(self.paragraphs[at])

    def _section(self, at: int) -> tuple[int, str]:
        """A run of paragraphs that belong together and are set aside: (how many, kind), or (0, "")."""
        paragraph = self.paragraphs[at]
        if (
            len(paragraph) <= 60
            and _CONTENTS.fullmatch(paragraph.split("\n")[0])
            and at < len(self.paragraphs) / 3
        ):
            return self._contents(at), CONTENTS
        if len(paragraph) <= 60 and _INDEX.fullmatch(paragraph) and self._is_index(at):
            return self._to_heading(at, named_only=True), INDEX
        if _NOTE.match(paragraph):
            return self._note(at), NOTE
        if len(paragraph) <= 20 and _FOOTNOTES.fullmatch(paragraph) and self._is_marked(at + 1):
            return self._to_heading(at), FOOTNOTE
        if paragraph.startswith("[Footnote") and "]" not in paragraph:
            return self._bracketed(at)
        return 0, ""

    def _bracketed(self, at: int) -> tuple[int, str]:
        """A footnote of several paragraphs, to the bracket that closes it."""
        for number in range(at, min(at + _LONGEST_NOTE, len(self.paragraphs))):
            if self.paragraphs[number].endswith("]"):
                return number + 1 - at, note_kind(self.paragraphs[number])
        return 0, ""

    def _contents(self, at: int) -> int:
        """The list ends where its first entry comes again, or where prose begins."""
        first = next((p for p in self.paragraphs[at + 1 : at + 4] if _ALPHANUMERIC.search(p)), "")
        key = _entry_key(first)
        for number in range(at + 2, min(at + 400, len(self.paragraphs))):
            paragraph = self.paragraphs[number]
            if self.known[number] == HEADING:
                return number - at
            if key and number > at + 2 and _entry_key(paragraph) == key:
                return number - at
            if len(paragraph) > 160 and _CLOSED.search(paragraph) and not is_summary(paragraph):
                # The chapter's own heading stands above its first paragraph.
                while number - 1 > at and self._heads(number - 1):
                    number -= 1
                return number - at
        return 1

    def _heads(self, at: int) -> bool:
        paragraph = self.paragraphs[at]
        return (
            len(paragraph) < 90
            and "\n" not in paragraph
            and (self._begins_chapter(at) or is_number(paragraph) or is_named(paragraph))
        )

    def _is_index(self, at: int) -> bool:
        entries = self.paragraphs[at + 1 : at + 21]
        return len(entries) >= 3 and sum(bool(_REFERENCE.search(entry)) for entry in entries) * 2 >= len(
            entries
        )

    def _to_heading(self, at: int, *, named_only: bool = False) -> int:
        for number in range(at + 1, len(self.paragraphs)):
            paragraph = self.paragraphs[number]
            if (
                self.known[number] == HEADING
                or _NOTE.match(paragraph)
                or (is_named(paragraph) and number > at + 1)
            ):
                return number - at
            if not named_only and (is_chapter(paragraph) or self._is_capitals(paragraph)):
                return number - at
        return len(self.paragraphs) - at

    def _note(self, at: int) -> int:
        paragraph = self.paragraphs[at]
        if paragraph.startswith("[") and paragraph.endswith("]"):
            return 1
        if at > len(self.paragraphs) * 0.8:
            return len(self.paragraphs) - at
        if len(paragraph) > 60:
            return 1
        for number in range(at + 1, min(at + 30, len(self.paragraphs))):
            if self.known[number] or self._heads(number) or self._is_capitals(self.paragraphs[number]):
                return number - at
        return 1

    def _is_capitals(self, paragraph: str) -> bool:
        return len(paragraph) <= 130 and not self.shouts and is_capitals(paragraph)

    def _is_marked(self, at: int) -> bool:
        return at < len(self.paragraphs) and _MARKED.match(self.paragraphs[at]) is not None

    def _single(self, at: int, before: str, first_chapter: int) -> str:
        paragraph = self.paragraphs[at]
        if not _ALPHANUMERIC.search(paragraph):
            return ORNAMENT
        if _PICTURE.match(paragraph) and paragraph.endswith("]"):
            return ILLUSTRATION
        if _LONE_PAGE.fullmatch(paragraph):
            return PAGE_NUMBER
        if self._is_footnote(paragraph, before):
            return note_kind(paragraph)
        if before == HEADING and not self.shouts and is_summary(paragraph):
            return SUMMARY
        if at < first_chapter and len(paragraph) > LONGEST and all(map(is_title, paragraph.split("\n"))):
            return FRONT_MATTER
        return HEADING if self._is_heading(at, before, first_chapter) else PROSE

    def _is_footnote(self, paragraph: str, before: str) -> bool:
        found = _MARKED.match(paragraph)
        if not found:
            return False
        mark = found["mark"]
        if mark is None or not mark[1:-1].rstrip("abcdef").isdigit():
            # "*Vide a letter" is a note; "*word*" is emphasis.
            return mark is not None or paragraph.count("*") == 1
        # A note stands behind the place it belongs to; Helm's page numbers {12} look alike but come once.
        return mark in self.seen or (before in (FOOTNOTE, EDITORS_NOTE) and mark[0] == "[")

    def _is_heading(self, at: int, before: str, first_chapter: int) -> bool:
        """A heading is short and holds no sentence, whatever else speaks for it."""
        paragraph = self.paragraphs[at]
        return (
            len(paragraph) <= LONGEST
            and self._has_form_of_heading(at, before, first_chapter)
            and not holds_sentence(paragraph.replace("\n", " "))
        )

    def _has_form_of_heading(self, at: int, before: str, first_chapter: int) -> bool:
        paragraph = _LEADING_PAGE.sub("", self.paragraphs[at], count=1)
        lines = paragraph.split("\n")
        if at in self.numbered:
            return True
        if is_chapter(paragraph) or is_named(paragraph) or self._is_capitals(paragraph.replace("\n", " ")):
            return True
        if len(lines) > 1 and is_chapter(lines[0]) and all(is_title(line) for line in lines[1:]):
            return True
        if is_number(paragraph):
            return at + 1 < len(self.paragraphs) and not self.paragraphs[at + 1][:1].islower()
        if self.shouts:
            return False
        if before == HEADING and is_title(paragraph):
            # A dedication or a date under a title is one too, but the last paragraph of a text never is.
            return at + 1 < len(self.paragraphs)
        return at < first_chapter and all(is_title(line) for line in lines)


def note_kind(paragraph: str) -> str:
    """The author's note, or one that an editor, a translator or a transcriber signs."""
    return EDITORS_NOTE if _EDITORS.search(paragraph) else FOOTNOTE


def _entry_key(entry: str) -> str:
    """What a contents entry and the heading it announces have in common: number or first words."""
    entry = _LEADING_PAGE.sub("", entry).lower()
    found = _ENTRY.match(entry)
    return found[0] if found else _PAGE_OF_ENTRY.sub("", _NO_WORD.sub(" ", entry.split("\n")[0])).strip()

"""Paragraphs with citation marks: read from JSON lines.

A line is an object with `id`, `text`, and if wanted `source`, the id of the document in which the paragraph
stands. Its marks are given in one of two ways:

    "marks": [{"start": 10, "end": 14, "targets": ["d7", "d9"]}]     offsets into the text, in characters
    [@d7; @d9]                                                      in the text itself

Questions that authors wrote of their own texts are read from such lines, too: `id`, `question`, `targets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import Object, checked_id, objects

LONGEST = 20_000
"""Characters of a paragraph."""
LONGEST_QUESTION = 1_000
"""Characters of a question."""
_INLINE = re.compile(r"\[@([^\[\]\n]{1,1000})\]")


class Mark(NamedTuple):
    """One place where a paragraph cites.

    start, end: offsets into the text.
    targets: ids of the documents that it cites there, each once.
    """

    start: int
    end: int
    targets: tuple[str, ...]


class Paragraph(NamedTuple):
    """A paragraph and what it cites.

    id: its name in the file.
    text: its words, marks included.
    source: id of the document it stands in; "" where the file names none.
    marks: in the order of the text.
    line: of the file, from 1.
    """

    id: str
    text: str
    source: str
    marks: tuple[Mark, ...]
    line: int

    def without(self, mark: Mark) -> str:
        """Return the text with this mark as `[CITED]`, and every other as `[…]`."""
        parts, end = [], 0
        for each in self.marks:
            parts += [self.text[end : each.start], "[CITED]" if each == mark else "[…]"]
            end = each.end
        return "".join([*parts, self.text[end:]])


class Written(NamedTuple):
    """A question that somebody wrote, and what it looks for.

    id: its name in the file.
    question: its words.
    targets: ids of documents, each once.
    line: of the file, from 1.
    """

    id: str
    question: str
    targets: tuple[str, ...]
    line: int


def written(lines: Iterable[Line], wrong: Wrong) -> Iterator[Written]:
    """Yield the questions of a file, one a line.

    Raises:
        BadInput: a sentence that names the line, and what would be right.
    """
    for row in objects(lines, wrong):
        name, question = row.id("id", "_id"), " ".join(row.text("question", needed=True).split())
        targets = _ids(row.values("targets"), row)
        if not targets:
            raise row.wrong('no "targets"; a list of ids of the documents that answer it was expected.')
        if len(question) > LONGEST_QUESTION:
            raise row.wrong(
                f"the question has {len(question):,} characters; {LONGEST_QUESTION:,} are the most."
            )
        yield Written(name, question, targets, row.line.number)


def paragraphs(lines: Iterable[Line], wrong: Wrong) -> Iterator[Paragraph]:
    """Yield the paragraphs of a file, one a line.

    Raises:
        BadInput: a sentence that names the line, and what would be right.
    """
    seen: dict[str, int] = {}
    for row in objects(lines, wrong):
        found = _paragraph(row)
        if found.id in seen:
            raise row.wrong(f"the paragraph {found.id!r} is given twice; first on line {seen[found.id]:,}.")
        seen[found.id] = found.line
        yield found


def _paragraph(row: Object) -> Paragraph:
    text = row.text("text", needed=True)
    if len(text) > LONGEST:
        raise row.wrong(f"the paragraph has {len(text):,} characters; {LONGEST:,} are the most.")
    number = row.line.number
    name = row.id("id", "_id")
    source = row.id("source") if row.has("source") else ""
    given = row.values("marks")
    marks = [_mark(each, text, row) for each in given] if given else _inline(text, row)
    marks.sort()
    for one, two in pairwise(marks):
        if two.start < one.end:
            raise row.wrong(f"two marks overlap, at characters {one.start} and {two.start}.")
    if not marks:
        raise row.wrong('no citation mark; give "marks", or write them as [@id] in the text.')
    found = Paragraph(name, text, source, tuple(marks), number)
    if "[@" in found.without(marks[0]):
        raise row.wrong(
            'a mark [@… is left in the text: it must end in ], hold no bracket, and not stand beside "marks".'
        )
    return found


def _mark(given: Any, text: str, row: Object) -> Mark:
    said = given if isinstance(given, dict) else {}
    start, end, targets = said.get("start"), said.get("end"), said.get("targets")
    those = _ids(targets, row) if isinstance(targets, list) and targets else None
    # JSON's true is 1 to Python.
    if isinstance(start, bool) or isinstance(end, bool):
        start = end = None
    if those and isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return Mark(start, end, those)
    raise row.wrong('a mark needs "start" and "end", which lie in the text, and "targets", a list of ids.')


def _inline(text: str, row: Object) -> list[Mark]:
    return [
        Mark(found.start(), found.end(), _ids([each.strip(" @") for each in found[1].split(";")], row))
        for found in _INLINE.finditer(text)
    ]


def _ids(given: Iterable[Any], row: Object) -> tuple[str, ...]:
    def wrong(_: int, sentence: str) -> BadInput:
        return row.wrong(sentence)

    return tuple(dict.fromkeys(checked_id(str(each), row.line.number, wrong) for each in given))

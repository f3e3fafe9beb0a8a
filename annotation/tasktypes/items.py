"""What a task type is made of beside itself: its keys, buttons and example, and what items are made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from common.translation import gettext as _

Answer = dict[str, Any]
Path = tuple[str | int, ...]
BESIDE = ("kind", "id", "explanation")
"""Fields that a line of any file may hold beside the item itself and its gold answer."""


class Example(NamedTuple):
    """One complete round of the task, from which tests check every type.

    payload: a small item.
    gold: its right answer.
    data: fields of a form that was sent for it.
    answer: the answer that those fields mean.
    """

    payload: dict[str, Any]
    gold: Answer
    data: dict[str, str]
    answer: Answer


class PlainAnswer(NamedTuple):
    """An answer that one button gives.

    field: the form field it sends.
    value: the value it sends.
    label: its words.
    key: the key that presses it, unless a reader chose another.
    """

    field: str
    value: str
    label: str
    key: str


class Key(NamedTuple):
    """A single key on the reading page.

    act: the name of what it does.
    usual: the key, unless a reader chose another.
    label: what it does, in English words; `{n}` in it is the number with which the name of the act ends.
    """

    act: str
    usual: str
    label: str

    def in_words(self) -> str:
        """Return what it does, in the reader's language."""
        return _(self.label).replace("{n}", self.act.rpartition("_")[2])


class Quotation(NamedTuple):
    """A masked quotation of a book, with the passages that may stand there.

    left, right: the critic's sentences before and after it.
    passages: the options, in the order that was drawn.
    gold: which passage was quoted, counted from 0.
    language: of the passages, as a code such as en.
    citation: of the critic.
    book: title of the book the passages are from.
    """

    left: list[str]
    right: list[str]
    passages: list[str]
    gold: int
    language: str
    citation: str
    book: str


class Part(NamedTuple):
    """One part of an answer, for the export with a row a part.

    question: which part it is, such as the key of a question.
    value: what was said; None where nothing was.
    state: answered, empty or not_asked.
    start, end: [start, end) in code points of the text, where the part is a stretch of it.
    """

    question: str
    value: str | None
    state: str
    start: int | None = None
    end: int | None = None


class Quoted(NamedTuple):
    """A quotation where a critic has it.

    before, after: the critic's sentences around it; may be empty.
    text: the quotation.
    language: of the critic, as a code such as en; may be empty.
    citation: of the critic.
    book: title of the book that is quoted.
    """

    before: str
    text: str
    after: str
    language: str
    citation: str
    book: str


class Field(NamedTuple):
    """A field that a line in a file of items has, as the page that uploads it explains it.

    name: its key.
    meaning: what it holds, in words.
    needed: whether every line must have it.
    """

    name: str
    meaning: str
    needed: bool = True


class Template(NamedTuple):
    """Fields that every item of a study may take from the type instead of a file.

    label: what it is, with where it comes from.
    fields: of the payload.
    """

    label: str
    fields: dict[str, Any]


def number_at(document: Any, path: Path) -> int | None:
    """Return the whole number at that path of a JSON document, or a list's length; None for neither."""
    for step in path:
        try:
            document = document[step]
        except (LookupError, TypeError):
            return None
    if isinstance(document, list):
        return len(document)
    return document if isinstance(document, int) and not isinstance(document, bool) else None

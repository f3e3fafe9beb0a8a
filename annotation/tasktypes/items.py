"""What items are made of: a quotation with the passages found for it, or a line of a file."""

from __future__ import annotations

from typing import Any, NamedTuple

BESIDE = ("kind", "id", "explanation")
"""Fields that a line of any file may hold beside the item itself and its gold answer."""


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

"""What items are made of: a quotation with the passages found for it, or a line of a file."""

from __future__ import annotations

from typing import NamedTuple

BESIDE = ("kind", "id", "explanation")
"""Fields that a line of any file may hold beside the item itself and its gold answer."""


class Quotation(NamedTuple):
    """A masked quotation of a book, and the passages that may stand there, in the order that was drawn.

    ``left``, ``right``: the critic's sentences before and after it; ``gold``: which passage was quoted,
    counted from 0; ``language`` and ``book``: of the passages; ``citation``: of the critic.
    """

    left: list[str]
    right: list[str]
    passages: list[str]
    gold: int
    language: str
    citation: str
    book: str


class Field(NamedTuple):
    """A field of a line in a file of items, for the page that uploads it: what it holds, and if it must."""

    name: str
    meaning: str
    needed: bool = True

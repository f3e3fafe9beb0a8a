"""Tables and sections of a report as values: cells are worded, and nothing is laid out yet."""

from __future__ import annotations

from typing import Any, NamedTuple


class Table(NamedTuple):
    """``head``: of each column, the first may be empty; ``body``: rows of as many cells, possibly none."""

    caption: str
    head: list[str]
    body: list[list[str]]


class Section(NamedTuple):
    """A part of a study's page under a heading of its own.

    ``slug``: its address on the page; ``heading``: empty for a part that brings its own; ``sentence``: stands
    before the table, or in its place; ``table``: None without one; ``style``: of the table; ``picture``: a
    template and the value it draws, None without one; ``below``: whether it belongs to the section before it.
    """

    slug: str
    heading: str
    sentence: str = ""
    table: Table | None = None
    style: str = ""
    picture: tuple[str, Any] | None = None
    below: bool = False

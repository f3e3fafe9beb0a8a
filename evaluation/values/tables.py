"""Sections of a report's page as values: nothing is laid out yet."""

from __future__ import annotations

from typing import Any, NamedTuple

from common.tables.table import Column, Table
from evaluation.values.wording import headed


class PageSection(NamedTuple):
    """A part of a study's page under a heading of its own.

    ``slug``: its address on the page.
    ``heading``: empty for a part that brings its own.
    ``sentence``: stands before the table, or in its place; ``points``: several, as a list.
    ``table``: None without one; ``style``: its class.
    ``picture``: a template and the value it draws, None without one.
    ``drawing``: the name under which the picture is drawn for print; empty where it is not.
    ``below``: whether it belongs to the section before it.
    """

    slug: str
    heading: str
    sentence: str = ""
    table: Table | None = None
    style: str = ""
    picture: tuple[str, Any] | None = None
    below: bool = False
    points: tuple[str, ...] = ()
    drawing: str = ""


def column(short: str, heading: str = "", name: str = "") -> Column:
    """A column of numbers. ``short``: its heading in plain text; ``heading``: elsewhere, else the same with a
    capital; ``name``: its key, else ``short``."""
    return Column(name or short, heading or headed(short), short=short)


def named(short: str, heading: str = "", name: str = "") -> Column:
    """A column of names, which a table begins with."""
    return column(short, heading, name)._replace(numeric=False)

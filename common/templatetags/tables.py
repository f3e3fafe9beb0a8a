"""Tables and their downloads on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import template

from common.tables.formats import Format
from common.tables.table import NONE, Cell, Column, Row, Table

register = template.Library()


class Shown(NamedTuple):
    """A row as the page prints it.

    row: the row.
    head: the cell that names it, and ``first``, its column.
    reasons: the texts of its footnotes, printed with its name.
    cells: the others, each with its column and what stands for no words.
    """

    row: Row
    first: Column
    head: Cell
    reasons: list[str]
    cells: list[tuple[Column, Cell, str]]


@register.inclusion_tag("common/table.html")
def table(found: Table, id: str = "", css: str = "") -> dict[str, Any]:  # noqa: A002 - the attribute's name
    """The table; ``id``: of the heading that names it, else its title does; ``css``: its class."""
    return {
        "table": found,
        "id": id,
        "css": css,
        "sections": [
            (section.heading, [shown(found, row) for row in section.rows]) for section in found.sections
        ],
        "totals": shown(found, found.totals) if found.totals else None,
    }


def shown(found: Table, row: Row) -> Shown:
    """Result rows say with a dash that there is nothing; rows beside them and the last are left empty."""
    nothing = "" if row.aside or row is found.totals else NONE
    return Shown(
        row,
        found.columns[0],
        row.cells[0],
        [cell.note for cell in row.cells if cell.note],
        [
            (column, cell, nothing if column.numeric else "")
            for column, cell in zip(found.columns[1:], row.cells[1:], strict=True)
        ],
    )


@register.inclusion_tag("common/downloads.html")
def downloads(formats: Mapping[str, Format[Any]]) -> dict[str, Any]:
    """Links to this page in every format."""
    return {"formats": sorted(formats.items(), key=lambda each: each[1].label)}

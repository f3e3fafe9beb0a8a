"""Tables and their downloads on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import template

from common.tables.formats import Format
from common.tables.table import NONE, Cell, Column, Row, Table

register = template.Library()


class ShownRow(NamedTuple):
    """A row as the page prints it.

    row: the row.
    head: the cell that names it, and ``first``, its column.
    reasons: why cells have no value, printed with its name.
    cells: the others, each with its column and what stands for no words.
    """

    row: Row
    first: Column
    head: Cell
    reasons: list[str]
    cells: list[tuple[Column, Cell, str]]


@register.inclusion_tag("common/table.html")
def table(found: Table, id: str = "", css: str = "", caption: str = "") -> dict[str, Any]:  # noqa: A002
    """Show the table.

    id: of the heading that names it; without one its title does.
    css: its class.
    caption: in the place of its own.
    """
    return {
        "table": found,
        "id": id,
        "css": css,
        "caption": caption or found.caption,
        "sections": [
            (section.heading, [shown(found, row) for row in section.rows]) for section in found.sections
        ],
        "totals": shown(found, found.totals) if found.totals else None,
    }


def shown(found: Table, row: Row) -> ShownRow:
    """Return a row as the page prints it; only in result rows a dash stands for a missing number."""
    nothing = "" if row.aside or row is found.totals else NONE
    reasons = [cell.note for cell in row.cells if cell.note]
    return ShownRow(
        row,
        found.columns[0],
        row.cells[0],
        [*reasons, row.about.reason] if row.about and row.about.reason else reasons,
        [
            (column, cell, nothing if column.numeric else "")
            for column, cell in zip(found.columns[1:], row.cells[1:], strict=True)
        ],
    )


@register.filter
def wide(share: float) -> str:
    """Return a share as a width in percent."""
    return f"{100 * share:.2f}%"


@register.inclusion_tag("common/downloads.html")
def downloads(formats: Mapping[str, Format[Any]], asked: str = "") -> dict[str, Any]:
    """Show links to this page in every format; ``asked``: what else its address says, encoded."""
    named = sorted(formats.items(), key=lambda each: each[1].label)
    return {"formats": named, "asked": asked}

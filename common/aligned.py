"""Columns of plain text: the first set flush left, the others flush right."""

from __future__ import annotations

WIDTH = 96


def aligned(cells: list[list[str]]) -> list[str]:
    """One line a row; every column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]

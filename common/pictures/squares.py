"""A grid of squares on a page, without a script; `page` says how pictures are placed."""

from __future__ import annotations

from typing import NamedTuple

from common.pictures.marks import Grid
from common.pictures.page import Label

SQUARE, NAMED = 28, 20
"""Height of a square, and of the name of its row above it, in pixels."""
FAINTEST, DARKEST = 0.04, 0.55
"""How much of the accent a square has: letters in the darkest can still be read."""


class PlacedSquare(NamedTuple):
    """A square of a grid on the page.

    x, width, middle: left edge, width and middle, in percent.
    words: printed in it.
    dark: how much of its colour it has, from 0 to 1.
    """

    x: str
    width: str
    middle: str
    words: str
    dark: str


class PlacedLine(NamedTuple):
    """A row of a grid on the page.

    name: of the row.
    y_name, y, y_words: base line of the name, upper edge of the squares, and base line of their words, in
        pixels from the top.
    squares: from the left.
    """

    name: str
    y_name: int
    y: int
    y_words: int
    squares: tuple[PlacedSquare, ...]


class PlacedGrid(NamedTuple):
    """A grid on the page.

    picture: what is drawn.
    lines: its rows, from the top.
    columns: their names, above the first row.
    tall: height of a square; height: of the whole, in pixels.
    """

    picture: Grid
    lines: tuple[PlacedLine, ...]
    columns: tuple[Label, ...]
    tall: int
    height: int


def grid(picture: Grid) -> PlacedGrid:
    """Place each square, with the name of its row above: so letters have room on a narrow screen."""
    width = 100 / max(len(picture.columns), 1)
    first = 2 * NAMED
    lines = []
    for down, (name, row) in enumerate(zip(picture.rows, picture.cells, strict=True)):
        top = first + down * (NAMED + SQUARE)
        squares = tuple(
            PlacedSquare(
                f"{across * width + 0.25:.2f}%",
                f"{width - 0.5:.2f}%",
                f"{(across + 0.5) * width:.2f}%",
                cell.words,
                f"{FAINTEST + (DARKEST - FAINTEST) * cell.share:.3f}",
            )
            for across, cell in enumerate(row)
        )
        edge = top + NAMED
        lines.append(PlacedLine(name, edge - 5, edge, edge + SQUARE - 9, squares))
    columns = tuple(
        Label(f"{(across + 0.5) * width:.2f}%", label, "middle")
        for across, label in enumerate(picture.columns)
    )
    return PlacedGrid(picture, tuple(lines), columns, SQUARE, first + len(lines) * (NAMED + SQUARE))

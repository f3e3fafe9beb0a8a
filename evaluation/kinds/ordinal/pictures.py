"""Both tables of confusion as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from common.pictures.marks import Grid, Picture, Shade
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.tables import names_of
from evaluation.metrics.nominal.table import FloatArray
from evaluation.values.wording import digits


def drawings(found: Found) -> Iterator[tuple[str, Picture]]:
    """Those in which there is something to see."""
    if found.report.coincidences.sum():
        yield "grades-of-two", of_two(found)
    if found.report.gold_confusion.sum():
        yield "grades-against-gold", gold(found)


def of_two(found: Found) -> Grid:
    """Grades that two readers gave to one item."""
    title = "Grades of two readers on one item"
    return _grid(found, found.report.coincidences, ("One reader", "Another reader"), "of-two", title, 1)


def gold(found: Found) -> Grid:
    """Grades by the gold grade."""
    counts = found.report.gold_confusion.astype(float)
    return _grid(found, counts, ("Gold", "Grade given"), "by-gold", "Grades by the gold grade", 0)


def _grid(
    found: Found, counts: FloatArray, sides: tuple[str, str], name: str, title: str, places: int
) -> Grid:
    """A square a cell, the darker the larger its part of the row; ``places``: digits of the number in it."""
    parts = counts / counts.sum(axis=1, keepdims=True).clip(min=1e-12)
    cells = tuple(
        tuple(Shade(digits(n, places), part) for n, part in zip(*row, strict=True))
        for row in zip(counts.tolist(), parts.tolist(), strict=True)
    )
    names, columns = tuple(names_of(found, len(counts))), tuple(map(str, range(len(counts))))
    described = " ".join(
        f"{label}: {', '.join(cell.words for cell in row)}." for label, row in zip(names, cells, strict=True)
    )
    return Grid(names, columns, cells, *sides, name, title, f"Each row from grade 0 on. {described}")

"""Both tables of confusion as pictures for print."""

from __future__ import annotations

from collections.abc import Iterator

from common.pictures.marks import Grid, Picture, Shade
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.tables import names_of
from evaluation.metrics.nominal.table import FloatArray
from evaluation.values.wording import digits


def drawings(found: Found) -> Iterator[tuple[str, Picture]]:
    """Those in which there is something to see."""
    two, gold = found.report.coincidences, found.report.gold_confusion.astype(float)
    if two.sum():
        yield "grades-of-two", confusion(found, two, "One reader", "Another reader", 1)
    if gold.sum():
        yield "grades-against-gold", confusion(found, gold, "Gold", "Grade given", 0)


def confusion(found: Found, counts: FloatArray, down: str, across: str, places: int) -> Grid:
    """A square a cell, the darker the larger its part of the row; ``places``: digits of the number in it."""
    parts = counts / counts.sum(axis=1, keepdims=True).clip(min=1e-12)
    cells = tuple(
        tuple(Shade(digits(n, places), part) for n, part in zip(*row, strict=True))
        for row in zip(counts.tolist(), parts.tolist(), strict=True)
    )
    columns = tuple(map(str, range(len(counts))))
    return Grid(tuple(names_of(found, len(counts))), columns, cells, down, across)

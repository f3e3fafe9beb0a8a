"""Both tables of confusion as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from common.pictures.marks import Grid, Picture
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.tables import names_of
from evaluation.metrics.nominal.table import FloatArray
from evaluation.values.confusion import confusion_grid


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
    names, columns = names_of(found, len(counts)), [str(grade) for grade in range(len(counts))]
    said = "Each row from grade 0 on."
    return confusion_grid(names, columns, counts, sides, name=name, title=title, said=said, places=places)

"""Both tables of confusion as pictures, drawn by matplotlib: only ``manage.py figures`` imports this."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from common.pictures.paper import ACCENT, INK, Picture
from evaluation.kinds.ordinal.grades import Found
from evaluation.kinds.ordinal.tables import names_of
from evaluation.metrics.nominal.table import FloatArray

SHADES = LinearSegmentedColormap.from_list("grades", ["white", ACCENT])


def drawings(found: Found) -> Iterator[Picture]:
    """Those in which there is something to see."""
    if found.report.coincidences.sum():
        yield (
            "grades-of-two",
            lambda: confusion(found, found.report.coincidences, ("One reader", "Another reader"), "{:.1f}"),
        )
    if found.report.gold_confusion.sum():
        counts = found.report.gold_confusion.astype(float)
        yield "grades-against-gold", lambda: confusion(found, counts, ("Gold", "Grade given"), "{:.0f}")


def confusion(found: Found, counts: FloatArray, axes_of: tuple[str, str], form: str) -> Figure:
    """A square a cell, the darker the larger its part of the row; the number stands in it."""
    figure = Figure(figsize=(4.8, 3.6), layout="constrained")
    axes = figure.subplots()
    rows = counts.sum(axis=1, keepdims=True)
    parts = counts / rows.clip(min=1e-12)
    axes.imshow(parts, cmap=SHADES, vmin=0, vmax=1)
    for (row, column), cell in zip(_places(len(counts)), counts.ravel().tolist(), strict=True):
        colour = "white" if parts[row, column] > 0.5 else INK
        axes.text(column, row, form.format(cell), ha="center", va="center", color=colour, fontsize=8)
    axes.set_ylabel(axes_of[0])
    axes.set_xlabel(axes_of[1])
    # A label is words: between two dollar signs matplotlib would set mathematics, or stop where it is none.
    axes.set_yticks(range(len(counts)), names_of(found, len(counts)), parse_math=False)
    axes.set_xticks(range(len(counts)))
    axes.tick_params(length=0)
    return figure


def _places(size: int) -> list[tuple[int, int]]:
    return [(row, column) for row in range(size) for column in range(size)]

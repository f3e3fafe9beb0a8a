"""The losses of a training as a picture without a script, as a table, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from common.pictures import page
from common.pictures.marks import Chart, Curve, Scale, Tick, Upright
from common.tables.table import Cell, Column, Row, Table, table

MOST_TICKS = 12
LEVELS = 3
LEAST = 0.5
"""The smallest range of losses that fills the height."""


class Losses(NamedTuple):
    """The losses of each epoch.

    chart: as a page draws them.
    table: the same in numbers.
    """

    chart: page.PlacedChart
    table: Table


def losses(epochs: Sequence[Mapping[str, Any]]) -> Losses | None:
    """Return a picture and a table of the epochs so far; None where none has ended yet."""
    if not epochs:
        return None
    best = min(range(len(epochs)), key=lambda at: (epochs[at]["validation"], epochs[at]["number"]))
    training, validation = (
        tuple((at, each[name]) for at, each in enumerate(epochs)) for name in ("loss", "validation")
    )
    chart = Chart(
        "curve",
        "Training and validation loss by epoch",
        _described(epochs, epochs[best]["number"]),
        _epochs([each["number"] for each in epochs]),
        _levels([value for _, value in (*training, *validation)]),
        curves=(Curve("training", training, dotted=True), Curve("validation", validation, dotted=True)),
        upright=Upright(*validation[best]),
    )
    return Losses(page.chart(chart, page.LOSSES), _table(epochs, best))


def _epochs(numbers: Sequence[int]) -> Scale:
    """A single one stands in the middle."""
    every = -(-len(numbers) // MOST_TICKS)
    ticks = tuple(Tick(at, str(number)) for at, number in enumerate(numbers) if at % every == 0)
    return Scale(0, len(numbers) - 1, ticks) if len(numbers) > 1 else Scale(-1, 1, ticks)


def _levels(values: Sequence[float]) -> Scale:
    low, high = min(values), max(values)
    if high - low < LEAST:
        # Two losses that are nearly one must not look like top and bottom.
        low, high = (low + high - LEAST) / 2, (low + high + LEAST) / 2
    levels = [high - (high - low) * at / (LEVELS - 1) for at in range(LEVELS)]
    return Scale(low, high, tuple(Tick(level, f"{level:.2f}") for level in levels))


def _described(epochs: Sequence[Mapping[str, Any]], best: int) -> str:
    first, last = epochs[0], epochs[-1]
    return (
        f"From epoch {first['number']} to {last['number']}, the training loss goes from {first['loss']:.3f} "
        f"to {last['loss']:.3f}, the validation loss from {first['validation']:.3f} to "
        f"{last['validation']:.3f}; it is lowest after epoch {best}."
    )


def _table(epochs: Sequence[Mapping[str, Any]], best: int) -> Table:
    columns = (
        Column("epoch", "Epoch", numeric=False),
        Column("loss", "Training"),
        Column("validation", "Validation"),
        Column("note", "Note", numeric=False),
    )
    rows = [
        Row(
            (
                Cell(str(each["number"]), each["number"]),
                Cell(f"{each['loss']:.4f}", each["loss"]),
                Cell(f"{each['validation']:.4f}", each["validation"]),
                Cell("lowest" if at == best else ""),
            )
        )
        for at, each in enumerate(epochs)
    ]
    return table(columns, rows, title="Losses by epoch", caption="Mean losses by epoch")

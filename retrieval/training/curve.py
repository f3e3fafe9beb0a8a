"""The losses of a training as a picture without a script, and in words for those who do not see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

HEIGHT, TOP, BOTTOM = 240, 44, 28
"""Pixels of the drawing, above the plot, and below it."""
LEFT, RIGHT = 8.0, 96.0
"""Where the first and the last epoch stand, in percent of the width."""
MOST_TICKS = 12
LEVELS = 3
LEAST = 0.5
"""The smallest range of losses that fills the height."""


class Point(NamedTuple):
    """An epoch: places in percent from the left and in pixels from the top."""

    number: int
    x: str
    loss: float
    loss_y: float
    validation: float
    validation_y: float
    best: bool
    tick: bool


class Level(NamedTuple):
    y: float
    label: str


class Curve(NamedTuple):
    """`lines` are the points of both polylines in a box of 100 by 100, loss first."""

    height: int
    top: int
    tall: int
    left: str
    inside: str
    bottom: int
    levels: list[Level]
    points: list[Point]
    lines: tuple[str, str]
    described: str


def curve(epochs: Sequence[Mapping[str, Any]]) -> Curve | None:
    """The picture of the epochs so far; None where none has ended yet."""
    if not epochs:
        return None
    values: list[float] = [value for each in epochs for value in (each["loss"], each["validation"])]
    low, high = min(values), max(values)
    if high - low < LEAST:
        # Two losses that are nearly one must not look like top and bottom.
        low, high = (low + high - LEAST) / 2, (low + high + LEAST) / 2
    tall = HEIGHT - TOP - BOTTOM
    best = min(epochs, key=lambda each: (each["validation"], each["number"]))["number"]
    every = -(-len(epochs) // MOST_TICKS)

    def down(value: float) -> float:
        return round(100 * (high - value) / (high - low), 2)

    def across(at: int) -> float:
        return round(100 * at / (len(epochs) - 1), 2) if len(epochs) > 1 else 50.0

    points = [
        Point(
            each["number"],
            f"{LEFT + across(at) * (RIGHT - LEFT) / 100:.2f}%",
            each["loss"],
            round(TOP + down(each["loss"]) * tall / 100, 1),
            each["validation"],
            round(TOP + down(each["validation"]) * tall / 100, 1),
            each["number"] == best,
            at % every == 0,
        )
        for at, each in enumerate(epochs)
    ]
    loss, validation = (
        " ".join(f"{across(at)},{down(each[name])}" for at, each in enumerate(epochs))
        for name in ("loss", "validation")
    )
    levels = [
        Level(round(TOP + tall * at / (LEVELS - 1), 1), f"{high - (high - low) * at / (LEVELS - 1):.2f}")
        for at in range(LEVELS)
    ]
    first, last = epochs[0], epochs[-1]
    described = (
        f"From epoch {first['number']} to {last['number']}, the training loss goes from {first['loss']:.3f} "
        f"to {last['loss']:.3f}, the validation loss from {first['validation']:.3f} to "
        f"{last['validation']:.3f}; it is lowest after epoch {best}."
    )
    box = (f"{LEFT:g}%", f"{RIGHT - LEFT:g}%")
    return Curve(HEIGHT, TOP, tall, *box, HEIGHT - BOTTOM, levels, points, (loss, validation), described)

"""A bar chart without a script: each bar's place and height, and the words for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

HEIGHT, TOP, BOTTOM = 220, 24, 28
"""Pixels of the drawing, above the highest bar, and below the axis."""
FILLED = 0.72
"""Of a bar's share of the width."""


class Bar(NamedTuple):
    """Widths and horizontal places in percent of the drawing, vertical ones in pixels from its top."""

    label: str
    tick: str
    number: int
    share: float
    x: str
    width: str
    middle: str
    y: int
    height: int


class Bars(NamedTuple):
    name: str
    title: str
    unit: str
    description: str
    height: int
    axis: int
    bars: list[Bar]


def bars(name: str, title: str, unit: str, ticks: Sequence[str], counts: Sequence[tuple[str, int]]) -> Bars:
    """The chart of some labelled counts, a short tick under each bar; flat where every count is 0."""
    total = sum(count for _, count in counts)
    highest = max((count for _, count in counts), default=0)
    room, axis = HEIGHT - TOP - BOTTOM, HEIGHT - BOTTOM
    step = 100 / max(1, len(counts))
    drawn = []
    for at, (label, count) in enumerate(counts):
        height = round(room * count / highest) if highest else 0
        x, width = step * (at + (1 - FILLED) / 2), step * FILLED
        drawn.append(
            Bar(
                label,
                ticks[at],
                count,
                count / total if total else 0.0,
                f"{x:.2f}%",
                f"{width:.2f}%",
                f"{x + width / 2:.2f}%",
                axis - height,
                height,
            )
        )
    said = "; ".join(f"{bar.label}: {bar.number:,}" for bar in drawn)
    return Bars(name, title, unit, f"By {unit}. {said}.", HEIGHT, axis, drawn)

"""The paper's Figure 3 for a study: histogram of overlap over pairs of spans, and its cumulative curve.

Places are in percent of the picture's width, like those of the other pictures; heights are in pixels. The
curve lies in a view box of its own that is stretched, so that its line and no letter is scaled.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from evaluation.figures.marks import EDGE, Tick
from evaluation.metrics.spans.overlap import OverlapDistribution
from evaluation.values.wording import digits, percent

HEIGHT, TOP, AXIS = 180, 32, 26
INSIDE = 100 - 2 * EDGE
GAP = 0.4


class Bar(NamedTuple):
    """Pairs with an overlap in [low, high), the last bin with 1; where the bar stands."""

    low: str
    high: str
    pairs: int
    share: str
    cumulative: str
    x: str
    y: str
    width: str
    height: str


class Level(NamedTuple):
    y: int
    label: str


class OverlapFigure(NamedTuple):
    """``curve``: points of the cumulative curve in a box of 100 x 100; ``mean_at``: where O_o stands."""

    bars: tuple[Bar, ...]
    curve: str
    mean: str
    mean_at: str
    identical: str
    n_pairs: int
    ticks: tuple[Tick, ...]
    counts: tuple[Level, ...]
    shares: tuple[Level, ...]
    left: str
    right: str
    inside: str
    top: int
    tall: int
    bottom: int
    height: int
    described: str
    described_curve: str


def overlap_figure(shown: OverlapDistribution) -> OverlapFigure | None:
    """None where no pair of spans can be compared."""
    if shown.mean is None or shown.identical is None:
        return None
    bars = _bars(shown)
    most = max(shown.counts.tolist())
    tallest = max(bars, key=lambda bar: bar.pairs)
    return OverlapFigure(
        bars=bars,
        curve=curve(shown),
        mean=f"{percent(shown.mean)} %",
        mean_at=_at(shown.mean),
        identical=f"{percent(shown.identical)} %",
        n_pairs=shown.n_pairs,
        ticks=tuple(
            Tick(_at(tenth / 4), f"{25 * tenth} %", {0: "start", 4: "end"}.get(tenth, "middle"))
            for tenth in range(5)
        ),
        counts=tuple(_level(pairs, most) for pairs in range(0, most + 1, round_step(most))),
        shares=tuple(Level(TOP + HEIGHT - HEIGHT * n // 4, f"{25 * n} %") for n in range(5)),
        left=f"{EDGE}%",
        right=f"{100 - EDGE}%",
        inside=f"{INSIDE}%",
        top=TOP,
        tall=HEIGHT,
        bottom=TOP + HEIGHT,
        height=TOP + HEIGHT + AXIS,
        described=(
            f"{shown.n_pairs:,} pairs of spans; the mean O_o is {percent(shown.mean)} %. Most pairs, "
            f"{tallest.pairs:,}, overlap by {tallest.low} to {tallest.high}."
        ),
        described_curve=(
            f"Share of pairs that overlap by at most so much; {percent(shown.identical)} % overlap entirely."
        ),
    )


def curve(shown: OverlapDistribution) -> str:
    """Steps from (0, 0) to (1, 1) as SVG points in a box of 100 x 100, upside down as SVG counts."""
    points, level = ["0,100"], 0.0
    for value, reached in zip(shown.values.tolist(), shown.cumulative.tolist(), strict=True):
        points += [
            f"{100 * value:.2f},{100 - 100 * level:.2f}",
            f"{100 * value:.2f},{100 - 100 * reached:.2f}",
        ]
        level = reached
    return " ".join([*points, "100,0"])


def _bars(shown: OverlapDistribution) -> tuple[Bar, ...]:
    counts, edges = shown.counts.tolist(), shown.edges.tolist()
    most, bars, so_far = max(counts), [], 0
    for low, high, pairs in zip(edges[:-1], edges[1:], counts, strict=True):
        so_far += pairs
        tall = HEIGHT * pairs / most
        bars.append(
            Bar(
                f"{digits(100 * low, 0)} %",
                f"{digits(100 * high, 0)} %",
                pairs,
                f"{percent(pairs / shown.n_pairs)} %",
                f"{percent(so_far / shown.n_pairs)} %",
                f"{EDGE + INSIDE * low + GAP / 2:.2f}%",
                f"{TOP + HEIGHT - tall:.1f}",
                f"{INSIDE * (high - low) - GAP:.2f}%",
                f"{tall:.1f}",
            )
        )
    return tuple(bars)


def round_step(most: int) -> int:
    """1, 2 or 5 times a power of ten: the smallest with at most four of it up to ``most``."""
    steps = (first * int(10**power) for power in count() for first in (1, 2, 5))
    return next(step for step in steps if most // step <= 4)


def _level(pairs: int, most: int) -> Level:
    return Level(TOP + HEIGHT - round(HEIGHT * pairs / most), f"{pairs:,}")


def _at(value: float) -> str:
    return f"{EDGE + INSIDE * value:.2f}%"

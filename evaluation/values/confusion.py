"""A table of confusion as a picture, for every kind of data that has one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from common.pictures.marks import Grid, Shade
from evaluation.values.wording import digits


def confusion_grid(
    rows: Sequence[str],
    columns: Sequence[str],
    counts: NDArray[np.float64],
    sides: tuple[str, str],
    *,
    name: str,
    title: str,
    said: str,
    places: int = 1,
) -> Grid:
    """A square a cell, the darker the larger its part of the row.

    ``rows``, ``columns``: the name of each; ``counts`` (R, C); ``sides``: what rows and columns are;
    ``name``: its id on a page; ``said``: the sentence before the description of each row; ``places``: digits
    of the number in a square.
    """
    parts = counts / counts.sum(axis=1, keepdims=True).clip(min=1e-12)
    cells = tuple(
        tuple(Shade(digits(n, places), part) for n, part in zip(*row, strict=True))
        for row in zip(counts.tolist(), parts.tolist(), strict=True)
    )
    described = " ".join(
        f"{label}: {', '.join(cell.words for cell in row)}." for label, row in zip(rows, cells, strict=True)
    )
    return Grid(tuple(rows), tuple(columns), cells, *sides, name, title, f"{said} {described}")

"""Callbacks of a training: a worker that renews its lease, a bar in a terminal, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Epoch(NamedTuple):
    """Mean losses of one epoch.

    number: from 1.
    loss: over the training's steps.
    validation: over the books to validate with.
    """

    number: int
    loss: float
    validation: float


class Callbacks:
    """Called as a training goes; whatever a method raises stops it. This one does nothing.

    An epoch that is stopped is begun anew later, from the one before.
    """

    def begin(self, curve: Sequence[Epoch], device: str) -> None:
        """Called when what was stored is loaded: training goes on from there, on a device such as `cpu`."""

    def part(self, tokens: int) -> None:
        """Called when so many tokens were encoded, or, with 0, those of an earlier part were learned from.

        Called often, also within a step: a step of a large model takes minutes on a CPU.
        """

    def step(self, epoch: int, step: int, steps: int, loss: float) -> None:
        """Called when that step (from 1) of so many in an epoch (from 1) is learned, with its loss."""

    def kept(self, curve: Sequence[Epoch]) -> None:
        """Called when the last epoch of the curve is on disk."""

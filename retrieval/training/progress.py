"""A training told to its row: where it is, how fast it goes, how long it will take, and the curve so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from retrieval.engine.training.callbacks import Callbacks, Epoch
from retrieval.engine.training.recipe import Recipe
from retrieval.jobs.attempts import GoOn, heartbeat
from retrieval.models import TrainingJob

BEAT = 1.0
"""Seconds between two words of progress: as often as the page asks."""


class TrainingProgress(Callbacks):
    """Report a training to its row: lease, stage, speed, losses.

    Raises `LeaseLost` in the training where the job is no longer ours, `Interrupted` where it is to stop.
    `device`: what it trains on, once it has begun.
    """

    def __init__(self, job: TrainingJob, go_on: GoOn, recipe: Recipe, pairs: int) -> None:
        self._job, self._go_on, self._recipe = job, go_on, recipe
        self._pairs = min(recipe.batch, pairs)
        self.device = ""
        self._began = self._next = 0.0
        self._at, self._learned, self._tokens = 0, 0, 0
        self._left: float | None = None
        self._stage = "Loading the encoders"

    def begin(self, curve: Sequence[Epoch], device: str) -> None:
        """Note from which epoch training goes on, and on which device."""
        self.device = device
        self._began = time.monotonic()
        epochs = self._recipe.epochs
        self._at = len(curve)
        # Steps of an epoch that was cut off are learned again.
        self._job.done = self._job.total // epochs * self._at
        self._stage = f"Epoch {min(self._at + 1, epochs)} of {epochs}"
        self._beat(curve=_plain(curve))

    def part(self, tokens: int) -> None:
        """Count encoded tokens; renew the lease when it is time."""
        self._tokens += tokens
        if time.monotonic() >= self._next:
            self._beat()

    def step(self, epoch: int, step: int, steps: int, loss: float) -> None:
        """Count a step of the recipe, and estimate the time left."""
        self._learned += 1
        self._at = epoch - 1
        whole = self._recipe.epochs * steps
        done = self._at * steps + step
        self._stage = (
            "Validating"
            if step == steps
            else f"Epoch {epoch} of {self._recipe.epochs}, step {step} of {steps}"
        )
        self._left = (time.monotonic() - self._began) / self._learned * (whole - done)
        self._job.done = done
        if time.monotonic() >= self._next or self._job.total != whole:
            self._beat(total=whole)

    def kept(self, curve: Sequence[Epoch]) -> None:
        """Store the losses of the epochs that are on disk."""
        self._at = len(curve)
        self._beat(curve=_plain(curve))

    def stage(self, words: str) -> None:
        """Say what is done now, where that is no step."""
        self._stage, self._left = words, None
        self._beat()

    def _beat(self, **columns: Any) -> None:
        self._next = time.monotonic() + BEAT
        heartbeat(self._job, self._go_on, self._job.done, self._stage, self._counts(), **columns)

    def _counts(self) -> dict[str, Any]:
        counts: dict[str, Any] = {"device": self.device, "epochs": self._at, "step_pairs": self._pairs}
        seconds = time.monotonic() - self._began
        if self._learned and seconds > 0:
            counts["pairs_a_second"] = round(self._learned * self._pairs / seconds, 2)
            counts["tokens_a_second"] = round(self._tokens / seconds, 1)
        if self._left is not None:
            counts["seconds_left"] = round(self._left, 1)
        return counts


def _plain(curve: Sequence[Epoch]) -> list[dict[str, float]]:
    return [epoch._asdict() for epoch in curve]

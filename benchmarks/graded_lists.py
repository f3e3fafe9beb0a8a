"""Lists of graded items as they might be, the machines that graded them, and samples of them: drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.metrics.nominal.table import BoolArray, IntArray
from evaluation.metrics.validation.estimands import (
    Estimand,
    agreement_with_machine,
    dcg,
    difference,
    histogram,
    mean_grade,
    precision,
)

TOPICS, PER_TOPIC, K = 35, 100, 10
GRADES = (0.55, 0.20, 0.12, 0.08, 0.05)
Generator = np.random.Generator


class World(NamedTuple):
    """A finite list of items: ``topic``, people's ``human`` and the ``machine``'s grades, ``ranks`` (2, N) of
    two runs, 0 beyond the first ten."""

    topic: IntArray
    human: IntArray
    machine: IntArray
    ranks: IntArray

    @property
    def top(self) -> BoolArray:
        return np.asarray((self.ranks > 0).any(axis=0))

    def estimands(self) -> tuple[Estimand, ...]:
        """Mean grade, P@10 of the first run, the difference of the two, and more: `NAMES` of `anchoring`."""
        runs = [
            precision(name, K, ranks, TOPICS, 2, self.human, self.machine)
            for name, ranks in zip("AB", self.ranks, strict=True)
        ]
        return (
            mean_grade(self.human, self.machine),
            runs[0],
            difference(*runs),
            dcg("A", K, self.ranks[0], TOPICS, self.human, self.machine),
            histogram(len(GRADES), self.human, self.machine)[-1],
            agreement_with_machine((self.human == self.machine).astype(np.float64)),
        )


def world(machine: str, seed: int) -> World:
    """35 topics of 100 items and two runs, the first better than the second."""
    draw = np.random.default_rng(seed)
    n = TOPICS * PER_TOPIC
    human = draw.choice(len(GRADES), size=n, p=GRADES)
    ranks = np.zeros((2, n), dtype=np.int64)
    for row, noise in zip(ranks, (2.2, 3.0), strict=True):
        scores = (human + noise * draw.standard_normal(n)).reshape(TOPICS, PER_TOPIC)
        place = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
        row[:] = np.where(place <= K, place, 0).ravel()
    return World(np.repeat(np.arange(TOPICS), PER_TOPIC), human, grades_of(machine, human, draw), ranks)


def grades_of(machine: str, human: IntArray, draw: Generator) -> IntArray:
    """Grades of a machine that is good (7 of 10 right, else next to it), lenient (one higher) or poor."""
    chance = draw.random(len(human))
    if machine == "good":
        far = np.where(chance < 0.97, 1, 2)
        moved = np.where(chance < 0.72, 0, far * np.where(draw.random(len(human)) < 0.5, 1, -1))
    elif machine == "lenient":
        moved = np.where(chance < 0.4, 0, np.where(chance < 0.9, 1, 2))
    else:
        other = draw.choice(len(GRADES), size=len(human), p=GRADES)
        return np.where(chance < 0.15, human, other).astype(np.int64)
    return np.clip(human + moved, 0, len(GRADES) - 1)


def drawn(stratum: IntArray, share: float, draw: Generator) -> BoolArray:
    """(N,) a sample of that share of each stratum, two items at least."""
    order = np.lexsort((draw.random(len(stratum)), stratum))
    sizes = np.bincount(stratum)
    wanted = np.minimum(sizes, np.maximum(2, np.rint(share * sizes))).astype(np.int64)
    at = np.arange(len(stratum)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = np.zeros(len(stratum), dtype=np.bool_)
    found[order[at < np.repeat(wanted, sizes)]] = True
    return found


def strata(items: World, how: str) -> IntArray:
    """(N,) numbers of strata: one, topic × grade, or grade × first ranks."""
    if how == "none":
        return np.zeros(len(items.topic), dtype=np.int64)
    other = items.topic if how == "topic × grade" else items.top.astype(np.int64)
    _, found = np.unique(other * len(GRADES) + items.machine, return_inverse=True)
    return np.asarray(found, dtype=np.int64)

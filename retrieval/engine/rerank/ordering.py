"""Scores made an order: by score, then by a second ranker's score, then by id. Several orders made one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

TOP = 5
"""Passages at the top of a list, for the audit."""
TIES = "score descending, then the tie-breaking ranker's score descending, then the document's id"


def by_scores(
    scores: Sequence[float | None], second: Sequence[float | None], ids: Sequence[str]
) -> list[int]:
    """Return the positions of passages, the best first: by score, second score, id; unreadable ones last.

    Args:
        scores: None where no reply could be read.
        second: Scores of the ranker that breaks ties, a dense encoder; None: last among its equals.
        ids: Of the passages.
    """

    def key(at: int) -> tuple[float, float, str]:
        first, tie = scores[at], second[at]
        return (-np.inf if first is None else first) * -1, (-np.inf if tie is None else tie) * -1, ids[at]

    return sorted(range(len(scores)), key=key)


def tied_pairs(scores: Sequence[float | None]) -> tuple[int, int]:
    """Return how many pairs have equal scores (two unreadable ones count), and how many pairs there are.

    The order of such a pair is the tie-breaking ranker's, not the model's.
    """
    return sum(comb(times, 2) for times in Counter(scores).values()), comb(len(scores), 2)


def first_orders(n: int, orders: int, seed: int) -> list[list[int]]:
    """Return so many first orders of `n` passages: the one given, then random ones drawn from the seed."""
    draw = random.Random(seed)  # noqa: S311 - repeatable, not secret
    found = [list(range(n))]
    while len(found) < orders:
        found.append(draw.sample(range(n), n))
    return found


def borda(orders: Sequence[Sequence[int]]) -> tuple[list[int], list[float]]:
    """Return the order by Σ over the orders of (n - rank), and the points in that order, as a mean.

    Ties go to the passage that stood first in the list that was given.
    """
    n = len(orders[0])
    points = np.zeros(n)
    for each in orders:
        points[list(each)] += np.arange(n - 1, -1, -1)
    best = np.argsort(-points, kind="stable")
    return best.tolist(), (points[best] / len(orders)).tolist()


class Bias(NamedTuple):
    """Whether a model's order depends on the order it was shown.

    tau: mean Kendall τ between the orders it made of the same passages shown in different orders; 1: the
        order shown does not matter.
    input_rank: mean rank, in the order shown, of what it put among its first `TOP`; expected: the mean rank
        of all passages, if that order does not matter.
    expected: (n + 1) / 2, the mean over queries.
    queries: that were looked at.
    """

    tau: float
    input_rank: float
    expected: float
    queries: int


def bias(shown: Sequence[Sequence[Sequence[int]]], made: Sequence[Sequence[Sequence[int]]]) -> Bias | None:
    """Return the position bias over queries; None where no query has two passages and two orders.

    Args:
        shown: By query and order, the positions of passages as the model saw them.
        made: The same as it put them.
    """
    taus, ranks, expected = [], [], []
    for given, found in zip(shown, made, strict=True):
        if len(found) < 2 or len(found[0]) < 2:
            continue
        taus.append(np.mean([tau(one, two) for n, one in enumerate(found) for two in found[n + 1 :]]))
        for first, last in zip(given, found, strict=True):
            ranks += [first.index(each) + 1 for each in last[:TOP]]
        expected.append((len(found[0]) + 1) / 2)
    if not taus:
        return None
    return Bias(float(np.mean(taus)), float(np.mean(ranks)), float(np.mean(expected)), len(taus))


def tau(one: Sequence[int], two: Sequence[int]) -> float:
    """Return Kendall's τ of two orders of the same n ≥ 2 passages: 1 - 4 · discordant pairs / (n (n - 1))."""
    n = len(one)
    place = np.empty(n, dtype=np.int64)
    place[list(two)] = np.arange(n)
    row = place[list(one)]
    discordant = int(np.count_nonzero(np.triu(row[:, None] > row[None, :], 1)))
    return 1 - 4 * discordant / (n * (n - 1))

"""Whether a machine agrees with people as much as people agree with each other, on the same items.

Of an item that the machine and at least two people answered,

    with   mean likeness of the machine's answer to each person's
    among  mean likeness of each two persons' answers
    d      with - among;   D = mean of d over items, each counting once

Who answers as one more of these people would has D = 0, whatever the number of readers: both are means over
pairs drawn from the same answers. The interval is Student's t over the jackknife, items left out in turn, or
whole topics, and ends at -1 and 1; p is of the sign-flip test over the same items or topics.

A machine is called as good as a reader where the lower end of D is not below 0, and not otherwise: an
interval that holds 0 shows neither.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.common.clusters import OVER_ITEMS, OVER_TOPICS
from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.common.jackknife import PLAIN, SAME, limits
from evaluation.metrics.common.mcnemar import holm
from evaluation.metrics.common.paired import sign_flip

AS_GOOD, WORSE, OPEN = "as good", "worse", "open"


class AsReader(NamedTuple):
    """A machine's agreement with people beside people's among themselves.

    ``with_people``, ``among_people``: means over the same items.
    ``difference``: the first minus the second; ``low``, ``high``: its interval, None without one.
    ``method``: how that was made.
    ``p``: of the sign-flip test; ``p_holm``: adjusted over the machines of a table.
    ``n_items``: items with the machine's answer and two persons' or more.
    """

    with_people: float
    among_people: float
    difference: float
    low: float | None
    high: float | None
    method: str
    p: float
    p_holm: float
    n_items: int

    @property
    def verdict(self) -> str:
        """AS_GOOD where the lower end is 0 or more, WORSE where the upper end is below 0, else OPEN."""
        if self.low is None or self.high is None:
            return OPEN
        return AS_GOOD if self.low >= 0 else WORSE if self.high < 0 else OPEN


def as_reader(
    with_people: ArrayLike,
    among_people: ArrayLike,
    seed: int,
    topic: ArrayLike | None = None,
    level: float = LEVEL,
) -> AsReader | None:
    """Compare two means over the same items; None without any.

    ``with_people``, ``among_people`` (N,): of each item, 0 to 1; ``topic`` (N,): its topic, None where items
    have none.
    """
    ours, theirs = np.asarray(with_people, dtype=np.float64), np.asarray(among_people, dtype=np.float64)
    if not len(ours):
        return None
    apart = ours - theirs
    over = np.arange(len(apart)) if topic is None else np.asarray(topic)
    _, cluster = np.unique(over, return_inverse=True)
    sizes = np.bincount(cluster.ravel())
    difference = float(apart.mean())
    first, second = (np.bincount(cluster.ravel(), each) for each in (ours, theirs))
    p = sign_flip(first, second, seed).p
    found = AsReader(float(ours.mean()), float(theirs.mean()), difference, None, None, "", p, p, len(apart))
    if len(sizes) < 2:
        return found
    without = (apart.sum() - np.bincount(cluster.ravel(), apart)) / (len(apart) - sizes)
    error = np.sqrt((len(sizes) - 1) / len(sizes) * ((without - without.mean()) ** 2).sum())
    if error <= SAME:
        return found
    low, high = limits(np.array([difference]), np.array([error]), np.array([len(sizes)]), PLAIN, level)
    method = PLAIN if topic is None else PLAIN.replace(OVER_ITEMS, OVER_TOPICS)
    # With few items Student's t leaves the values that a difference of two shares can have.
    return found._replace(low=max(-1.0, float(low[0])), high=min(1.0, float(high[0])), method=method)


def adjusted(found: list[AsReader | None]) -> list[AsReader | None]:
    """The same with p adjusted over the machines by Holm's method, in the same order."""
    known = [each for each in found if each is not None]
    left = iter(holm([each.p for each in known]))
    return [None if each is None else each._replace(p_holm=next(left)) for each in found]

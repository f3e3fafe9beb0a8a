"""How many items the meters need, before anybody reads.

A shift of agreement by d points, a part b of n readings blind and the rest shown (Fleiss, Levin and Paik
2003, section 4.3, unpooled):

    n = (z_(1 - α/2) + z_power)² [p_1 (1 - p_1) / (1 - b) + p_0 (1 - p_0) / b] / d²,    p_1 = p_0 + d

A prediction-powered interval of half width w: n = 1 / (1 / N + w² / (z² S²)), S² the variance that the
machine leaves within strata, from a pilot or from how often it is expected to be right.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np

ALPHA, POWER = 0.05, 0.8
_ROUNDING = 1e-9


def items_for_shift(
    agreement: float, points: float, blind: float = 0.5, *, power: float = POWER, alpha: float = ALPHA
) -> int:
    """Readings, blind and shown together, that find a shift of agreement.

    ``agreement``: of blind readers with the machine, 0 to 1; ``points``: the shift, such as 0.1; ``blind``:
    the part of these readings that is blind. Raises ValueError for numbers out of range.
    """
    from scipy.stats import norm

    if not (0 < agreement < 1 and points > 0 and agreement + points <= 1 and 0 < blind < 1):
        raise ValueError(
            "agreement, and agreement with the shift, must lie between 0 and 1, and so must blind."
        )
    wanted = norm.ppf(1 - alpha / 2) + norm.ppf(power)
    return ceil(wanted**2 * _spread(agreement, points, blind) / points**2 - _ROUNDING)


def power_for_shift(
    agreement: float, points: float, n_blind: int, n_shown: int, *, alpha: float = ALPHA
) -> float:
    """The chance that so many readings find the shift: 21 % for 70 blind and 140 shown, .77 to .84."""
    from scipy.stats import norm

    if min(n_blind, n_shown) < 2:
        return 0.0
    both = n_blind + n_shown
    error = (_spread(agreement, points, n_blind / both) / both) ** 0.5
    return float(norm.cdf(points / max(error, 1e-12) - norm.ppf(1 - alpha / 2)))


def _spread(agreement: float, points: float, blind: float) -> float:
    after = agreement + points
    return after * (1 - after) / (1 - blind) + agreement * (1 - agreement) / blind


@lru_cache(maxsize=64)
def items_for_reveal(
    towards: float, away: float, *, power: float = POWER, alpha: float = ALPHA, most: int = 20_000
) -> int:
    """Readings of the arm *reveal* with which McNemar's exact test finds that changes go towards the machine.

    ``towards``, ``away``: shares of all revealed readings, such as .05 and .01. In steps of ten; power of an
    exact test goes up and down with n, so the number is the least from which it stays. Raises ValueError for
    shares that cannot be, or that more than ``most`` readings would be needed for.
    """
    if not (0 <= away < towards and towards + away <= 1):
        raise ValueError("towards must be greater than away, and together they cannot be more than 1.")
    n = 10
    while n <= most:
        if all(reveal_power(n + more, towards, away, alpha) >= power for more in (0, 10, 20)):
            return n
        n += 10 if n < 1000 else 100
    raise ValueError(f"More than {most:,} readings would be needed.")


@lru_cache(maxsize=256)
def reveal_power(n: int, towards: float, away: float, alpha: float = ALPHA) -> float:
    """The chance that the exact test finds more towards than away with n readings."""
    from scipy.stats import binom

    changed = np.arange(n + 1)
    # The least count towards that the two-sided test at 1/2 calls significant, for each number of changes.
    least = binom.isf(alpha / 2, changed, 0.5) + 1
    found = binom.sf(least - 1, changed, towards / (towards + away))
    return float(binom.pmf(changed, n, towards + away) @ found)


class Width(NamedTuple):
    """What an interval of a wanted half width takes.

    ``with_machine``: judged items with strata by the machine's grade; ``at_random``: of a simple random
    sample without a machine; ``n_items``: N.
    """

    with_machine: int
    at_random: int
    n_items: int

    @property
    def saved(self) -> int:
        return self.at_random - self.with_machine


def items_for_width(n_items: int, half_width: float, left: float, whole: float) -> Width:
    """Judged items for a mean ± ``half_width`` over ``n_items`` items, at 95 %.

    ``left``: S², the variance within strata of what the machine does not explain; ``whole``: of people's
    values.
    """
    from scipy.stats import norm

    if half_width <= 0 or n_items < 1 or left < 0 or whole < 0:
        raise ValueError("There must be an item and the half width must be greater than 0.")
    z = float(norm.ppf(1 - ALPHA / 2))

    def needed(variance: float) -> int:
        if variance == 0:
            return min(n_items, 2)
        return min(n_items, ceil(1 / (1 / n_items + half_width**2 / (z**2 * variance)) - _ROUNDING))

    return Width(needed(left), needed(whole), n_items)


def variances_of_share(share: float, agreement: float) -> tuple[float, float]:
    """Variance left and whole of a yes-or-no value, such as relevant or not.

    ``share``: of the items that are so; ``agreement``: how often the machine is right, equally often of both.
    The machine's yes and no are two strata; within each the variance is that of how often it is right there.
    """
    yes = share * agreement + (1 - share) * (1 - agreement)
    right = [share * agreement, share * (1 - agreement)]
    left = sum(one * (1 - one / part) for one, part in zip(right, (yes, 1 - yes), strict=True) if part > 0)
    return left, share * (1 - share)

"""The chance to find a difference in accuracy that is there, at α = .05, two-sided.

Two systems, or a system and one reader, answer the same n items: McNemar's exact test looks at the items on
which one is right and the other wrong. d is the share of such items, δ the difference in accuracy; of all
items (d + δ) / 2 speak for the better and (d - δ) / 2 for the worse. Where d is not known it is that of two
whose right answers have nothing to do with each other, p (1 - s) + s (1 - p); what both find easy makes it
smaller and the power greater.

A system against the mean of its k readers is a paired test over items of s_i - r_i, r_i being the share of
right readers; normal, with variance s (1 - s) + Var r - 2 φ sqrt(s (1 - s) a (1 - a)).
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from evaluation.metrics.planning.choices import ChoiceModel
from evaluation.metrics.planning.widths import Z
from evaluation.metrics.validation.planner import POWER, reveal_power

MOST = 20_000


def discordance(first: float, second: float, alike: float = 0.0) -> float:
    """d of two accuracies whose right answers correlate by ``alike`` (φ) over items.

    Raises ValueError for a φ that the two accuracies do not allow.
    """
    joint = first * second + alike * sqrt(first * (1 - first) * second * (1 - second))
    if not max(0.0, first + second - 1) - 1e-9 <= joint <= min(first, second) + 1e-9:
        raise ValueError(
            f"Right answers of {100 * first:.1f} % and {100 * second:.1f} % cannot correlate by {alike:g} "
            "over items: give a value nearer to 0."
        )
    return first + second - 2 * joint


def paired_power(n_items: int, first: float, second: float, differing: float) -> float:
    """Power of McNemar's exact test on ``n_items`` for two accuracies; ``differing``: d.

    Raises ValueError where the accuracies are equal or d cannot be.
    """
    return float(reveal_power(n_items, *_shares(first, second, differing)))


def items_for_paired(first: float, second: float, differing: float, power: float = POWER) -> int | None:
    """Items, to the next ten (hundred from 1,000), from which that power stays; None above 20,000.

    Looked for round Connor's (1987) normal approximation: power of an exact test goes up and down.
    """
    towards, away = _shares(first, second, differing)
    gap, normal = towards - away, NormalDist().inv_cdf(power)
    about = (Z * sqrt(towards + away) + normal * sqrt(towards + away - gap**2)) ** 2 / gap**2
    if about > MOST:
        return None
    step = 10 if about < 1000 else 100
    needed = max(step, int(0.95 * about) // step * step)
    while needed > step and _stays(needed - step, towards, away, power):
        needed -= step
    while not _stays(needed, towards, away, power):
        needed += step
    return needed


def _stays(n_items: int, towards: float, away: float, power: float) -> bool:
    return all(reveal_power(n_items + more, towards, away) >= power for more in (0, 10, 20))


def _shares(first: float, second: float, differing: float) -> tuple[float, float]:
    """Shares of items that speak for the better and for the worse."""
    gap = abs(first - second)
    most = min(first + second, 2 - first - second)
    if gap < 1e-9:
        raise ValueError("Two equal accuracies have no difference to find.")
    if not gap - 1e-9 <= differing <= most + 1e-9:
        raise ValueError(
            f"With {100 * first:.1f} % and {100 * second:.1f} % right, the items on which only one is right "
            f"are {100 * gap:.1f} to {100 * most:.1f} % of all, not {100 * differing:.1f} %."
        )
    return (differing + gap) / 2, max(0.0, (differing - gap) / 2)


def readers_variance(model: ChoiceModel, system: float, alike: float = 0.0) -> float:
    """Of s_i - r_i; ``system``: its accuracy; ``alike``: φ with a single reader."""
    a = model.accuracy
    discordance(system, a, alike)
    shared = alike * sqrt(system * (1 - system) * a * (1 - a))
    found = system * (1 - system) + model.accuracy_variance - 2 * shared
    return max(0.0, found)


def readers_power(n_items: int, model: ChoiceModel, system: float, alike: float = 0.0) -> float:
    """Power of the paired test of a system against the mean of the k readers."""
    spread = sqrt(readers_variance(model, system, alike) / n_items)
    gap = abs(system - model.accuracy)
    if spread == 0 or gap < 1e-9:
        raise ValueError("Two equal accuracies have no difference to find.")
    normal = NormalDist()
    return normal.cdf(gap / spread - Z) + normal.cdf(-gap / spread - Z)


def items_for_readers(
    model: ChoiceModel, system: float, alike: float = 0.0, power: float = POWER
) -> int | None:
    """Items that find a system's difference from the mean of the readers; None above 20,000."""
    gap = abs(system - model.accuracy)
    if gap < 1e-9:
        raise ValueError("Two equal accuracies have no difference to find.")
    wanted = Z + NormalDist().inv_cdf(power)
    needed = int(-(-(wanted**2) * readers_variance(model, system, alike) // gap**2))
    return needed if needed <= MOST else None

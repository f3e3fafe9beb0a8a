"""From what one item adds to the variance of a number to its interval, and back to the items needed.

A number whose variance over n items is v / n has the 95 % interval ± z sqrt(v / n), z = 1.96; the least n
for ± w is z² v / w², rounded up. Reports use Student's t on a scale of each measure's own, which differs by a
few percent with few items.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
_ROUNDING = 1e-9


def half_width(variance: float, n_items: int) -> float:
    """Half of the 95 % interval of a number to which an item adds ``variance`` >= 0; n >= 1."""
    if variance < 0 or n_items < 1:
        raise ValueError("A variance cannot be negative, and there must be an item.")
    return Z * sqrt(variance / n_items)


def items_for(variance: float, wanted: float) -> int:
    """The least number of items for value ± ``wanted`` > 0; 1 where nothing varies."""
    if variance < 0 or wanted <= 0:
        raise ValueError("A variance cannot be negative, and the wanted width must be greater than 0.")
    return max(1, ceil(Z**2 * variance / wanted**2 - _ROUNDING))

"""Whether one item decides a number: its part of the weight where items do not all count the same."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

MUCH = 0.05
"""Beyond this part of the weight an item is named, unless all items weigh as much."""


class Dominant(NamedTuple):
    """The item that weighs most: its index or number, its ``share`` of the weight of all, and the ``equal``
    share that each item would have if all weighed the same."""

    item: int
    share: float
    equal: float


def dominant(weights: ArrayLike) -> Dominant | None:
    """Find the item with more than MUCH of ``weights`` (N,); None where there is none or all are equal.

    Items of weight 0 do not enter. Of several equal ones it is the first.
    """
    each = np.asarray(weights, dtype=np.float64)
    entering = each[each > 0]
    if not len(entering) or np.ptp(entering) == 0:
        return None
    item = int(each.argmax())
    share = float(each[item] / entering.sum())
    return Dominant(item, share, 1 / len(entering)) if share > MUCH else None

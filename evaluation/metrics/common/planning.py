"""How many more items until an interval is as narrow as wanted."""

from math import ceil

WANTED = 0.05
FEW_ITEMS = 60
"""From fewer the width of an interval is itself hardly known, and a plan made from it a guess."""

FEW_TOPICS = 20
"""Over fewer topics an interval is a little too short (``python -m benchmarks.coverage.topics``)."""


def more_items(half_width: float, n_items: int, wanted: float = WANTED) -> int:
    """Items still to be judged until value ± ``half_width`` becomes value ± ``wanted``; 0 once it is.

    The width of an interval over items shrinks with the root of their number: n (h / w)² − n, rounded up.
    It assumes that the items to come are like those judged so far and get as many judgments. On data like
    RELiC's, where 200 items give ±.0655, that is 144 more for ±.05. Raises ValueError unless both widths are
    positive and n >= 1 (a half width of 0 is allowed: every item said the same).
    """
    if half_width < 0 or wanted <= 0 or n_items < 1:
        raise ValueError("widths must be positive and there must be an item.")
    return max(0, ceil(n_items * (half_width / wanted) ** 2 - n_items - 1e-9))

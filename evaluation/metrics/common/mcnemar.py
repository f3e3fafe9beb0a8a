"""Two annotators, models or retrievers on the same items: McNemar's exact test and Holm's correction."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def mcnemar_exact(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p of McNemar's exact test of two aligned 0/1 vectors (N,), N >= 1.

    p = two-sided binomial probability of the discordant items at 1/2; 1 when no item is discordant.
    Raises ValueError for unequal lengths, no items, and entries other than 0 and 1.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    ours, theirs = _zero_one("first", first), _zero_one("second", second)
    if len(ours) != len(theirs) or len(ours) == 0:
        raise ValueError(
            "first and second must hold one result per item, the same items in both, "
            f"but have {len(ours)} and {len(theirs)} entries."
        )
    only_first, only_second = int((ours & ~theirs).sum()), int((~ours & theirs).sum())
    both, neither = int((ours & theirs).sum()), int((~ours & ~theirs).sum())
    if not only_first + only_second:
        return 1.0
    return float(mcnemar([[both, only_first], [only_second, neither]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p values by Holm's step-down method, in the order given (Holm 1979).

    The i-th smallest of n becomes max over j <= i of min(1, (n - j + 1) p_(j)). Not statsmodels'
    ``multipletests``, which collects the garbage of the whole process at every call.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p values must be between 0 and 1.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return tuple(map(float, adjusted))


def _zero_one(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != 1 or not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must be a flat array of 0 and 1.")
    return array.astype(np.bool_)

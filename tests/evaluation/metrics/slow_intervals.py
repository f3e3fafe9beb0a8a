"""Intervals once more, from the values without each item: every step by its formula, one number at a time."""

from math import exp, log, sqrt

from scipy import stats


def student(left_out: list[float]) -> float:
    """t(n-1) at 97.5 % times the jackknife error of the values without each of n items."""
    n = len(left_out)
    mean = sum(left_out) / n
    error = sqrt((n - 1) / n * sum((each - mean) ** 2 for each in left_out))
    return stats.t(n - 1).ppf(0.975) * error


def ends(one, value: float, reach: float) -> tuple[float, float]:
    """Shares on the logit scale, coefficients on the root of 1 - value, other numbers as they are."""
    if one.range == (0.0, 1.0):
        odds, wide = value / (1 - value), reach / (value * (1 - value))
        low, high = odds * exp(-wide), odds * exp(wide)
        assert log(high / low) > 0
        return low / (1 + low), high / (1 + high)
    if one.range[1] == 1.0:
        root, wide = sqrt(1 - value), reach / (2 * sqrt(1 - value))
        return max(one.range[0], 1 - (root + wide) ** 2), 1 - max(root - wide, 0) ** 2
    return max(one.range[0], value - reach), min(one.range[1], value + reach)

"""What else could stand for an interval: the same studies by other methods, to choose by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from benchmarks.coverage.studies import ByWeights, Studies
from evaluation.metrics.common.intervals import percentiles
from evaluation.metrics.common.jackknife import LEVEL, LOGIT, PLAIN, ROOT, limits
from evaluation.metrics.nominal.table import FloatArray, IntArray

RESAMPLES = 500
Ends = tuple[FloatArray, FloatArray]


def others(found: Studies) -> Iterator[tuple[str, Ends]]:
    """Other intervals of the studies whose items differ, NaN for the rest."""
    apart = found.errors > 0
    values, errors = found.values[apart], found.errors[apart]
    sizes = found.entering[apart]
    reach = stdtrit(sizes - 1, (1 + LEVEL) / 2) * errors

    def spread(ends: Ends) -> Ends:
        low, high = np.full(len(apart), np.nan), np.full(len(apart), np.nan)
        low[apart], high[apart] = ends
        return low, high

    yield "plain t", spread(limits(values, errors, sizes, PLAIN))
    with np.errstate(all="ignore"):
        if found.measure.range == (0.0, 1.0):
            yield "logit-t", spread(limits(values, errors, sizes, LOGIT))
            yield "Wilson, effective n", spread(effective_wilson(values, errors, sizes))
        elif found.measure.range[1] == 1.0:
            yield "root-t", spread(limits(values, errors, sizes, ROOT))
            ratio = np.exp(reach / (1 - values))
            yield "log-t", spread((1 - (1 - values) * ratio, 1 - (1 - values) / ratio))
            middle, reach = np.arctanh(values), reach / (1 - values**2)
            yield "Fisher z", spread((np.tanh(middle - reach), np.tanh(middle + reach)))


def effective_wilson(values: FloatArray, errors: FloatArray, n_items: IntArray) -> Ends:
    """Wilson's interval for the number of independent answers that would have the jackknife's error."""
    t = stdtrit(n_items - 1, (1 + LEVEL) / 2)
    n = values * (1 - values) / errors**2
    middle = (values + t**2 / (2 * n)) / (1 + t**2 / n)
    reach = t / (1 + t**2 / n) * np.sqrt(values * (1 - values) / n + t**2 / (4 * n**2))
    return middle - reach, middle + reach


def bootstrapped(population: ByWeights, n_items: int, n_studies: int, seed: int) -> dict[str, float]:
    """Coverage of the percentile bootstrap by measure, on RESAMPLES resamples a study."""
    studied = population.draw(n_items, n_studies, seed)
    generator = np.random.default_rng(seed + 1)
    held: dict[str, list[bool]] = {}
    true = {one.slug: one.value(population.sample) for one in population.measures}
    for study in studied:
        rows = study > 0
        sample = population.sample.keep(rows)
        drawn = generator.multinomial(n_items, study[rows] / n_items, size=RESAMPLES).astype(np.float64)
        for one in population.measures:
            found = percentiles(one.statistic(sample, drawn))
            value = true[one.slug]
            if found is not None and value is not None:
                held.setdefault(one.slug, []).append(found.low <= value <= found.high)
    return {slug: float(np.mean(each)) for slug, each in held.items()}

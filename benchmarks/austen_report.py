"""What `benchmarks.austen` prints of the ranks: values, intervals, chance, and the trained model's gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.austen_ranks import RELATIVE, Found, Row, together
from evaluation.metrics.common.means import means
from evaluation.metrics.common.paired import comparisons
from evaluation.metrics.ranking.gold_ranks import MEAN_RANK, GoldRanks, estimates, recall_at

SYSTEMS = ("trained", "untrained", "BM25")
DRAWS = 100_000
MEASURES = (RELATIVE, MEAN_RANK, *(recall_at(k) for k in (1, 10, 50, 100)))


def by_chance(ranks: GoldRanks, draws: int = DRAWS) -> float:
    """Two-sided p: how often random ranks have a mean relative rank as far from 1/2."""
    generator = np.random.default_rng(0)
    far = abs(float(RELATIVE.per_query(ranks).mean()) - 0.5)
    sums = np.zeros(draws)
    for number in ranks.candidates:
        sums += (generator.integers(number, size=draws) + 0.5) / number
    return (1 + int((abs(sums / ranks.n_queries - 0.5) >= far - 1e-12).sum())) / (1 + draws)


def by_novel(parts: Sequence[Row], resamples: int = 2000) -> tuple[float, float]:
    """95 % interval of the mean over all quotations, resampling novels whole."""
    sums, sizes = np.array([each.sum() for each in parts]), np.array([each.size for each in parts])
    drawn = np.random.default_rng(0).integers(len(parts), size=(resamples, len(parts)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def told(name: str, one: Found) -> None:
    """A line a number: value, interval, the random row."""
    print(f"  {name}, {one.ranks.n_queries} quotations, {one.ranks.candidates.mean():,.0f} passages")
    for each in estimates(one.ranks, seed=0, measures=MEASURES):
        _line(each.measure.label, each.mean, each.random or 0.0)
    won, elsewhere, gain = means([one.won, one.elsewhere, one.gain], seed=0, shares=(True, True, False))
    _line("proxy accuracy", won, 1 / 3)
    _line("other contexts", elsewhere, 0.5)
    _line("gain", gain, 0.0)


def compared(results: Sequence[Mapping[str, Found]]) -> None:
    """The others minus the trained model by quotation: relative rank, the own context's gain, proxy task."""
    ranks = {name: [each[name].relative for each in results] for name in SYSTEMS}
    gains = {name: [each[name].gain for each in results] for name in SYSTEMS}
    _differences("relative rank", ranks | {"other contexts": [each["trained"].elsewhere for each in results]})
    _differences("gain", gains)
    _differences("proxy accuracy", {name: [each[name].won for each in results] for name in SYSTEMS})


def _differences(what: str, rows: Mapping[str, Sequence[Row]]) -> None:
    pooled = {name: np.concatenate(parts) for name, parts in rows.items()}
    for each in comparisons(pooled, "trained", seed=0):
        low, high = by_novel([a - b for a, b in zip(rows[each.name], rows["trained"], strict=True)])
        interval = f"[{each.low or 0:.3f}, {each.high or 0:.3f}], by novel [{low:.3f}, {high:.3f}]"
        print(f"  {what}, {each.name} minus trained: {each.difference:.3f} {interval}, p {each.p_holm:.2g}")


def report(results: Mapping[str, Mapping[str, Found]]) -> None:
    """Each novel, then all quotations of those there are."""
    for slug, systems in results.items():
        print(f"Fifth novel: {slug}")
        for name, one in systems.items():
            told(name, one)
    print(f"All {len(results)} novels")
    pooled = {name: together([systems[name] for systems in results.values()]) for name in SYSTEMS}
    for name, one in pooled.items():
        told(name, one)
        low, high = by_novel([systems[name].relative for systems in results.values()])
        print(f"    by novel [{low:.3f}, {high:.3f}], against chance p = {by_chance(one.ranks):.2g}")
    compared(list(results.values()))


def _line(label: str, mean: Any, random: float) -> None:
    value, low, high = (float("nan") if each is None else each for each in (mean.value, mean.low, mean.high))
    print(f"    {label:16} {value:10,.3f}  [{low:,.3f}, {high:,.3f}]  random {random:,.3f}")

"""Print what looking often costs: ``python -m benchmarks.looks``.

The first table: studies that grow until a 95 % interval is as narrow as wanted, looked at now and then, and
how many of the intervals at which they stopped hold the true value; beside it studies of the same population
that are looked at once, at the items that these had on average. The second: tests at every look of studies in
which there is nothing to find, as computed (`evaluation/metrics/planning/looks`) and as drawn. The third:
comparisons with the true value itself, by the levels of `evaluation/metrics/planning/spending` and by 95 % at
every look; whatever is decided is wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.coverage.studies import ByWeights, Studies
from benchmarks.planning import SEED, judged
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.machines.differences import DISTANCE, Differences
from evaluation.metrics.nominal.accuracy import INDIVIDUAL
from evaluation.metrics.nominal.fleiss import FLEISS
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ordinal.alpha import ORDINAL_ALPHA
from evaluation.metrics.planning.choices import choice_model
from evaluation.metrics.planning.grades import graded, share_of_item
from evaluation.metrics.planning.looks import corrected_level, false_alarms, schedule
from evaluation.metrics.planning.spending import SPENDING, levels

STUDIES = 4_000
LOOKS = 40
RULES = ((20, 5), (30, 10), (60, 20))
TESTED = ((2, 1, 1), (3, 1, 1), (4, 1, 1), (5, 1, 1), (10, 1, 1), (20, 1, 1), (8, 60, 20))

COMPARED = ((5, 20, 20), (5, 60, 60), (20, 60, 20), (10, 200, 100))


class Stopped(NamedTuple):
    """One rule: how many items studies had when they stopped, how often the interval there holds the true
    value, and how often it does at a fixed size; ``met``: studies that met the rule by the last look."""

    items: float
    met: float
    covered: float
    fixed: float


class Growing(ByWeights):
    """Studies that get more items: `studies` of the second size have all items of the first."""

    def __init__(self, sample: Any, one: MeasureOf[Any], n_studies: int, seed: int) -> None:
        super().__init__(sample, (one,))
        self.generator = np.random.default_rng(seed)
        self.weights: FloatArray = np.zeros((n_studies, len(sample.items)))
        self.size = 0

    def draw(self, n_items: int, n_studies: int, seed: int) -> FloatArray:
        shares = self.sample.items / self.sample.n_items
        self.weights = self.weights + self.generator.multinomial(n_items - self.size, shares, size=n_studies)
        self.size = n_items
        return self.weights


def stopped(
    sample: Any, one: MeasureOf[Any], width: float, sizes: tuple[int, ...], n_studies: int = STUDIES
) -> Stopped:
    """Studies that stop at the first look at which half of the interval is ``width`` or less."""
    growing = Growing(sample, one, n_studies, SEED)
    items, covered = np.zeros(n_studies), np.zeros(n_studies, dtype=np.bool_)
    open_ = np.ones(n_studies, dtype=np.bool_)
    for size in sizes:
        found = next(iter(growing.studies(size, n_studies, SEED)))
        ends = found.intervals()
        items[open_] = size
        covered[open_] = _covers(found)[open_]
        open_ &= ~((ends.high - ends.low) / 2 <= width)
        if not open_.any():
            break
    once = ByWeights(sample, (one,)).studies(round(items.mean()), n_studies, SEED + 1)
    return Stopped(
        float(items.mean()),
        float(1 - open_.mean()),
        float(covered.mean()),
        float(_covers(next(iter(once))).mean()),
    )


def _covers(found: Studies) -> Any:
    ends = found.intervals()
    return (ends.low <= found.true) & (found.true <= ends.high)


def alarms(sizes: tuple[int, ...], level: float, n_studies: int) -> float:
    """The share of studies without a difference in which a test says that there is one."""
    from statistics import NormalDist

    steps = np.diff(np.array([0, *sizes]))
    drawn = np.random.default_rng(SEED).standard_normal((n_studies, len(sizes))) * np.sqrt(steps)
    z = NormalDist().inv_cdf(1 - level / 2)
    return float((np.abs(np.cumsum(drawn, axis=1)) > z * np.sqrt(sizes)).any(axis=1).mean())


def decided(
    sample: Any,
    one: MeasureOf[Any],
    sizes: tuple[int, ...],
    each: tuple[float, ...],
    n_studies: int = STUDIES,
) -> float:
    """The share of studies in which an interval of the level 1 - p of its look does not hold the true value;
    ``each``: p of each look, 0 where nothing is looked at."""
    growing = Growing(sample, one, STUDIES, SEED)
    wrong = np.zeros(STUDIES, dtype=np.bool_)
    for size, p in zip(sizes, each, strict=True):
        found = next(iter(growing.studies(size, STUDIES, SEED)))
        if p:
            ends = found.intervals(1 - p)
            wrong |= (found.true < ends.low) | (ends.high < found.true)
    return float(wrong.mean())


def paired(accuracy: float, run: float, n_items: int) -> Differences:
    """Three readers and a run that find the same items hard, and are right as often as said."""
    from scipy.special import ndtri

    drawn = np.random.default_rng(SEED)
    hard = drawn.standard_normal(n_items)
    own = drawn.standard_normal((n_items, 4))
    right = (np.sqrt(0.5) * (hard[:, None] + own)) < ndtri([accuracy, accuracy, accuracy, run])
    values, items = np.unique(right[:, :3].mean(axis=1) - right[:, 3], return_counts=True)
    return Differences(values, np.full(len(values), 3), items)


def comparisons() -> None:
    """Print the third table."""
    easy = judged(choice_model(0.95, 0.9, 3, 3), 200_000, np.random.default_rng(SEED))
    middle = judged(choice_model(0.7, 0.5, 3, 3), 200_000, np.random.default_rng(SEED))
    choices = judged(choice_model(0.85, 0.68, 3, 3), 200_000, np.random.default_rng(SEED))
    grades = (0.65, 5, 0.4, 3)
    ordinal = graded(share_of_item(*grades), *grades[1:], 200_000, SEED)
    cases: tuple[tuple[str, Any, MeasureOf[Any]], ...] = (
        ("individual accuracy .95", easy, INDIVIDUAL),
        ("individual accuracy .85", choices, INDIVIDUAL),
        ("individual accuracy .70", middle, INDIVIDUAL),
        ("Fleiss κ .68", choices, FLEISS),
        ("ordinal α .65", ordinal, ORDINAL_ALPHA),
        ("readers .85, a run .85", paired(0.85, 0.85, 200_000), DISTANCE),
        ("readers .85, a run .70", paired(0.85, 0.70, 200_000), DISTANCE),
    )
    print("\n| compared | looks | O’Brien and Fleming’s | Pocock’s | .05 at each |")
    print("| --- | --- | --- | --- | --- |")
    for name, sample, one in cases:
        for most, first, every in COMPARED:
            sizes = schedule(first, every, most)
            shares = [decided(sample, one, sizes, levels(sizes, each)) for each in reversed(SPENDING)]
            naive = decided(sample, one, sizes, (0.05,) * most)
            print(
                f"| {name} | {most}, at {first} and every {every} | {shares[0]:.3f} | {shares[1]:.3f} | "
                f"{naive:.3f} |",
                flush=True,
            )


def main() -> None:
    choices = judged(choice_model(0.85, 0.68, 3, 3), 200_000, np.random.default_rng(SEED))
    grades = (0.65, 5, 0.4, 3)
    ordinal = graded(share_of_item(*grades), *grades[1:], 200_000, SEED)
    cases: tuple[tuple[Any, MeasureOf[Any], float], ...] = (
        (choices, INDIVIDUAL, 0.07),
        (choices, INDIVIDUAL, 0.05),
        (choices, INDIVIDUAL, 0.03),
        (choices, FLEISS, 0.1),
        (choices, FLEISS, 0.07),
        (ordinal, ORDINAL_ALPHA, 0.1),
        (ordinal, ORDINAL_ALPHA, 0.07),
    )
    print("| measure | ± | first look | then every | items | rule met | covered | at a fixed size |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for sample, one, width in cases:
        for first, every in RULES:
            found = stopped(sample, one, width, schedule(first, every, LOOKS))
            print(
                f"| {one.label} | {width:g} | {first} | {every} | {found.items:.0f} | {found.met:.3f} | "
                f"{found.covered:.3f} | {found.fixed:.3f} |"
            )
    print("\n| looks | found at .05 each | drawn | level for .05 in all | drawn |")
    print("| --- | --- | --- | --- | --- |")
    for most, first, every in TESTED:
        sizes = schedule(first, every, most)
        level = corrected_level(sizes)
        looks = f"{most}, at {first} and every {every} items" if first > 1 else f"{most}"
        print(
            f"| {looks} | {false_alarms(sizes):.4f} | "
            f"{alarms(sizes, 0.05, 200_000):.4f} | {level:.4f} | {alarms(sizes, level, 200_000):.4f} |"
        )
    comparisons()


if __name__ == "__main__":
    main()

"""How often 95 % intervals hold the true value: a table by measure, population and number of items.

    python -m benchmarks.coverage [choices | grades | spans] [--studies 3000] [--items 30 60 100 200]
                                  [--seed 1] [--accuracy 0.8 0.93] [--alike 0.3] [--compare]

Each cell is the share of simulated studies whose interval, as reports print it, holds the value of the
population that they were drawn from; studies without an interval are left out, and their share stands behind
a slash where it is more than one in a hundred. A cell outside .94 to .965 has a letter, and the letter a line
below the table. ``--compare`` adds the same studies by other methods (the percentile bootstrap from
500 resamples, which takes minutes).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.coverage import populations
from benchmarks.coverage.others import bootstrapped, others
from benchmarks.coverage.populations import ALIKE, DESIGNS
from benchmarks.coverage.studies import BySpans, ByWeights, Population, Studies
from evaluation.metrics.common.jackknife import LEVEL, WILSON, WILSON_OF_EQUAL
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.table import FloatArray
from evaluation.metrics.ordinal.report import ALPHAS, GOLD_GRADE_MEASURES, GRADE_AGREEMENT
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA, QUADRATIC_KAPPA
from evaluation.metrics.registry import MEASURES
from evaluation.metrics.spans.report import SPAN_MEASURES

LOWEST, HIGHEST = 0.94, 0.965
ACCURACIES = (0.8, 0.93)
FEW = 10
WHY = {
    "a": "a share of items, or one of which fewer than ten items are expected to say the rarer thing: it "
    "comes in steps, and the level of any interval goes up and down with them",
    "b": "few items far apart count much, and so few items may lack them: the error comes out too low",
    "c": "a ratio of two sums in which few long spans count much: its error is known badly",
    "d": "within two standard errors of the bounds: another seed may put it inside",
    "e": "none of the reasons above",
}


def named(
    kind: str | None, accuracies: Sequence[float] = ACCURACIES, alike: float = ALIKE
) -> Iterator[tuple[str, Population]]:
    """Every population of that kind, or of all; of choices those so often right and so alike."""
    if kind in (None, "choices"):
        for accuracy in accuracies:
            for design in DESIGNS:
                yield f"choices, {accuracy:.0%} right, {design}", nominal(design, accuracy, alike=alike)
        yield "choices, 80% right, items differ, one to three answers", nominal(DESIGNS[1], 0.8, unequal=True)
    if kind in (None, "grades"):
        for design in DESIGNS:
            table = populations.grades(design)
            plain = (*GOLD_GRADE_MEASURES, *ALPHAS, *GRADE_AGREEMENT)
            yield f"grades, {design}", ByWeights(table.patterns, plain)
            pairs = (QUADRATIC_KAPPA, LINEAR_KAPPA, COHEN)
            yield f"grades by pairs of readers, {design}", ByWeights(table.ratings(), pairs)
    if kind in (None, "spans"):
        for design in DESIGNS:
            yield f"spans, {design}", BySpans(populations.spans(design), SPAN_MEASURES)


def nominal(design: str, accuracy: float, *, unequal: bool = False, alike: float = ALIKE) -> ByWeights:
    patterns = populations.choices(design, accuracy, unequal=unequal, alike=alike)
    return ByWeights(patterns, tuple(one for one in MEASURES if one.shown(patterns)))


def coverage(found: Studies) -> tuple[float, float]:
    """Share of the intervals that hold the true value, and of studies without an interval."""
    made = found.intervals()
    return held(found, (made.low, made.high)), float(np.isnan(made.low).mean())


def held(found: Studies, ends: tuple[FloatArray, FloatArray]) -> float:
    low, high = (each[~np.isnan(ends[0])] for each in ends)
    return float(((low <= found.true) & (found.true <= high)).mean()) if len(low) else float("nan")


def why(found: Studies, cover: float) -> str:
    """The letter of a cell, empty where it lies in the bounds."""
    if LOWEST <= cover <= HIGHEST:
        return ""
    share = found.measure.range == (0.0, 1.0)
    steps = np.isin(found.intervals().method, (WILSON, WILSON_OF_EQUAL)).all()
    if share and (steps or found.n_items * min(found.true, 1 - found.true) < FEW):
        return "a"
    error = np.sqrt(LEVEL * (1 - LEVEL) / len(found.values))
    if LOWEST - 2 * error <= cover <= HIGHEST + 2 * error:
        return "d"
    if found.measure.slug == "lcs_overlap_kappa":
        return "c"
    return "b" if not share and found.n_items < 60 else "e"


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how often intervals hold the true value.")
    parser.add_argument("kind", nargs="?", choices=["choices", "grades", "spans"], help="default: all")
    parser.add_argument("--studies", type=int, default=3000, help="simulated for each cell")
    parser.add_argument("--items", type=int, nargs="+", default=[30, 60, 100, 200])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--accuracy", type=float, nargs="+", default=ACCURACIES, help="of choices")
    parser.add_argument("--alike", type=float, default=ALIKE, help="correlation of right answers to an item")
    parser.add_argument("--compare", action="store_true", help="the same studies by other methods")
    options = parser.parse_args()
    begun, letters = time.perf_counter(), set[str]()
    error = np.sqrt(LEVEL * (1 - LEVEL) / options.studies)
    print(f"95 % intervals, {options.studies:,} studies a cell: standard error of a cell {error:.4f}")
    for name, population in named(options.kind, options.accuracy, options.alike):
        print(f"\n{name}\n{'items':38}{'true':>7}" + "".join(f"{n:>10}" for n in options.items), flush=True)
        letters |= block(population, options)
    print()
    for letter in sorted(letters):
        print(f"{letter}  {WHY[letter]}")
    print(f"{time.perf_counter() - begun:.0f} s")


def block(population: Population, options: argparse.Namespace) -> set[str]:
    """Print one population's lines; the letters that stand in them."""
    cells: dict[str, list[str]] = {}
    heads: dict[str, str] = {}
    letters = set[str]()
    for n_items in options.items:
        drawn = {}
        if options.compare and isinstance(population, ByWeights):
            drawn = bootstrapped(population, n_items, options.studies, options.seed)
        for found in population.studies(n_items, options.studies, options.seed):
            cover, lost = coverage(found)
            letter = why(found, cover)
            letters |= set(letter)
            label = found.measure.label
            heads[label] = f"{label:38}{found.true:7.3f}"
            missing = f"/{lost:.2f}" if lost > 0.01 else ""
            cells.setdefault(label, []).append(f"{cover:.3f}{letter}{missing}")
            if options.compare:
                rest = [(way, held(found, ends)) for way, ends in others(found)]
                if found.measure.slug in drawn:
                    rest.append(("percentile bootstrap", drawn[found.measure.slug]))
                for way, share in rest:
                    heads[label + way] = f"{'    ' + way:45}"
                    cells.setdefault(label + way, []).append(f"{share:.3f}")
    for each, row in cells.items():
        print(heads[each] + "".join(f"{cell:>10}" for cell in row), flush=True)
    return letters


if __name__ == "__main__":
    main()

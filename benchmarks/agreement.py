"""How long the complete nominal report takes, and how that compares with a loop over a library.

    python -m benchmarks.agreement [--judgments 1000000] [--annotators 3] [--options 3] [--loop 3]

Ours: judgments as arrays → table → every nominal measure with its 95 % interval from 2,000 resamples.
Theirs, in the same run on the same judgments: statsmodels' aggregate_raters and fleiss_kappa (Fleiss and
Randolph, point values), and the usual bootstrap that resamples rows and calls fleiss_kappa again, timed for
--loop resamples and extrapolated to 2,000. Times leave out imports and are the best of
three, except the loop's.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from evaluation.metrics.registry import report
from evaluation.metrics.table import tabulate

RESAMPLES = 2000


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the complete nominal report.")
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--annotators", type=int, default=3, help="judgments on every item")
    parser.add_argument("--options", type=int, default=3)
    parser.add_argument("--loop", type=int, default=3, help="resamples timed in the library loop")
    arguments = parser.parse_args()
    m, q = arguments.annotators, arguments.options
    n_items = arguments.judgments // m
    generator = np.random.default_rng(1)
    gold = generator.integers(0, q, n_items)
    item, annotator = np.repeat(np.arange(n_items), m), np.tile(np.arange(m), n_items)
    right = generator.random(n_items * m) < 0.8
    choice = np.where(right, gold[item], generator.integers(0, q, n_items * m))

    table = tabulate(item, annotator, choice, gold, q)
    tabulating = seconds(lambda: tabulate(item, annotator, choice, gold, q))
    reporting = seconds(lambda: report(table, seed=1, resamples=RESAMPLES))
    ours = tabulating + reporting

    wide = choice.reshape(n_items, m)

    def points() -> dict[str, float]:
        counts = aggregate_raters(wide)[0]
        return {
            "fleiss_kappa": fleiss_kappa(counts),
            "randolph_kappa": fleiss_kappa(counts, method="randolph"),
        }

    point, theirs, counts = seconds(points), points(), aggregate_raters(wide)[0]

    def loop() -> None:
        for _ in range(arguments.loop):
            drawn = counts[generator.integers(0, n_items, n_items)]
            fleiss_kappa(drawn)
            fleiss_kappa(drawn, method="randolph")

    looped = seconds(loop, repeats=1) / arguments.loop * RESAMPLES
    print(
        f"{n_items * m} judgments, {n_items} items x {m}, {q} options, {len(table.patterns.items)} patterns"
    )
    print(f"ours: table {tabulating * 1e3:.1f} ms + report with intervals {reporting * 1e3:.1f} ms")
    print(f"statsmodels: two point values {point * 1e3:.1f} ms")
    print(f"library loop: {looped:.1f} s for two intervals (extrapolated from {arguments.loop} resamples)")
    print(f"ratio to point values {ours / point:.3f}, to points + loop {ours / (point + looped):.6f}")
    for line in report(table, seed=1, resamples=RESAMPLES):
        beside = f"  statsmodels {theirs[line.slug]:.6f}" if line.slug in theirs else ""
        numbers = [f"{number:.6f}" if number is not None else "-" for number in line[2:5]]
        print(f"{line.label:22} {numbers[0]} [{numbers[1]}, {numbers[2]}]{beside} {line.reason}".rstrip())


if __name__ == "__main__":
    main()

"""How long a report takes where nearly every item is a pattern of its own, and its random row.

    python -m benchmarks.many_options

20,000 items, five readers, 25 options, answers so hard that they scatter. Beside the report, in the same run,
what it did before: the bootstrap of as many patterns; and beside the random row of 25 answers the product of
the options' series, one by one (of 100 answers that took half a minute).
"""

from fractions import Fraction
from math import factorial

from benchmarks.agreement import RESAMPLES, seconds, simulated_choices
from evaluation.metrics.common import intervals
from evaluation.metrics.nominal import chance
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.registry import MEASURES, report


def main() -> None:
    q, options = 25, simulated_choices(20_000, 5, 25, right=0.4)
    report(tabulate(*options, q), seed=1)  # imports
    table = tabulate(*options, q)
    tabulating = seconds(lambda: tabulate(*options, q))
    reporting = seconds(lambda: report(table, seed=1))
    shown = [one.statistic for one in MEASURES if one.shown(table.patterns)]
    limit, intervals.MOST_RESAMPLED_CELLS = intervals.MOST_RESAMPLED_CELLS, 1 << 62
    drawing = seconds(lambda: intervals.resample(table.patterns, shown, 1, RESAMPLES), repeats=1)
    intervals.MOST_RESAMPLED_CELLS = limit
    print(f"20,000 items x 5 readers x {q} options: {len(table.patterns.items):,} patterns")
    print(f"table {tabulating:.2f} s, report {reporting:.2f} s; bootstrap of all patterns {drawing:.2f} s")
    print(f"ratio of the report to the bootstrap {reporting / drawing:.3f}")
    for answers, repeats in ((25, 3), (100, 1)):
        ours = seconds(
            lambda m=answers: (chance._pluralities.cache_clear(), chance.random_row(m, q)), repeats
        )
        print(f"random row of {answers} answers {ours * 1e3:.1f} ms", end="")
        if answers == 25:
            theirs = seconds(lambda m=answers: plurality_by_series(m, q), repeats=1)
            print(f", by series one by one {theirs * 1e3:.0f} ms, ratio {ours / theirs:.4f}", end="")
        print()


def plurality_by_series(m: int, q: int) -> Fraction:
    """P(gold is the only mode of m guesses) as reports once had it: a product of q - 1 series for each h."""
    ways = Fraction(0)
    for hits in range(1, m + 1):
        rest = [Fraction(1)] + [Fraction(0)] * (m - hits)
        for _ in range(q - 1):
            rest = [
                sum((rest[n - k] / factorial(k) for k in range(min(n, hits - 1) + 1)), Fraction(0))
                for n in range(len(rest))
            ]
        ways += rest[m - hits] * Fraction(factorial(m), factorial(hits))
    return ways / q**m


if __name__ == "__main__":
    main()

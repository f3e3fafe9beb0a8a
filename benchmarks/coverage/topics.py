"""How often intervals over items and over topics hold the true value, where readers shift by topic.

    python -m benchmarks.coverage.topics [--studies 250] [--topics 30] [--documents 100] [--shift 0 0.4]
                                         [--readers 2] [--resamples 1000] [--seed 1]

A document's relevance is drawn on a line, each reader reads it with an error of .5 grade and, on each topic,
with a shift of the threshold of standard deviation ``--shift`` grades; rounded to grades 0 to 4. The true
value is that of 4,000 topics of the same kind. Columns: share of studies held by the bootstrap over items,
the jackknife-t over items, the bootstrap over topics and the jackknife-t over topics, which reports of data
with topics print.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from evaluation.metrics.common.clusters import Clusters, clusters_of, over_clusters
from evaluation.metrics.common.intervals import Estimate, estimate, resample
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.common.ratings import ratings_and_rows
from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.ordinal.agreement import EXACT_AGREEMENT
from evaluation.metrics.ordinal.alpha import INTERVAL_ALPHA, ORDINAL_ALPHA
from evaluation.metrics.ordinal.gwet import ORDINAL_AC2
from evaluation.metrics.ordinal.table import GradeTable, tabulate_grades
from evaluation.metrics.ordinal.weighted_kappa import LINEAR_KAPPA, POOLED_LINEAR_KAPPA

OF_PATTERNS = (ORDINAL_ALPHA, INTERVAL_ALPHA, ORDINAL_AC2, EXACT_AGREEMENT)
OF_RATINGS = (LINEAR_KAPPA, POOLED_LINEAR_KAPPA)
GRADES, ERROR, ENDLESS = 5, 0.5, 4000


def study(topics: int, documents: int, readers: int, shift: float, seed: int) -> tuple[GradeTable, IntArray]:
    """The grades of a simulated study, and the topic of each item."""
    generator = np.random.default_rng(seed)
    relevance = generator.normal(1.5, 1.3, (topics, documents, 1))
    moved = generator.normal(0, shift, (topics, 1, readers))
    error = generator.normal(0, ERROR, (topics, documents, readers))
    grade = np.clip(np.rint(relevance + moved + error), 0, GRADES - 1).astype(np.int64)
    item, reader = np.divmod(np.arange(grade.size), readers)
    n_items = topics * documents
    table = tabulate_grades(item, reader, grade.ravel(), np.full(n_items, -1), GRADES)
    return table, np.repeat(np.arange(topics), documents)


def samples(table: GradeTable, topic: IntArray) -> list[tuple[MeasureOf[Any], Any, Clusters]]:
    """Each measure with the sample it is computed on and its topics."""
    patterns = table.patterns
    ratings, rows = ratings_and_rows(table.item, table.annotator, table.grade, None, GRADES)
    by_patterns = clusters_of(table.rows(), topic, len(patterns.items))
    by_ratings = clusters_of(rows, topic, len(ratings.items))
    found: list[tuple[MeasureOf[Any], Any, Clusters]] = [(one, patterns, by_patterns) for one in OF_PATTERNS]
    return found + [(one, ratings, by_ratings) for one in OF_RATINGS]


def both(
    one: MeasureOf[Any], sample: Any, clusters: Clusters, resamples: int, seed: int
) -> tuple[Estimate, Estimate]:
    """The measure with its intervals over items, and over topics."""
    (drawn,) = resample(sample, [one.statistic], seed, resamples)
    items = estimate(one, sample, drawn, seed)
    return items, over_clusters(one, sample, clusters, seed, resamples)


def held(found: Estimate, true: float) -> tuple[bool, bool]:
    """Whether the bootstrap and the jackknife-t hold the true value."""
    if found.low is None or found.high is None or found.bootstrap is None:
        raise ValueError(f"A simulated study has no interval of {found.label}: {found.reason}")
    return found.bootstrap.low <= true <= found.bootstrap.high, found.low <= true <= found.high


def coverage(
    shift: float, topics: int, documents: int, readers: int, studies: int, resamples: int, seed: int
) -> dict[str, tuple[float, ...]]:
    """{label: (true value, shares held by the four intervals)}."""
    endless = samples(*study(ENDLESS, documents, readers, shift, seed))
    true = {one.label: float(one.value(sample) or 0.0) for one, sample, _ in endless}
    counts = {label: np.zeros(4) for label in true}
    for number in range(studies):
        for one, sample, clusters in samples(*study(topics, documents, readers, shift, seed + 1 + number)):
            estimates = both(one, sample, clusters, resamples, number)
            counts[one.label] += [each for found in estimates for each in held(found, true[one.label])]
    return {label: (true[label], *(counts[label] / studies)) for label in true}


def main() -> None:
    parser = argparse.ArgumentParser(description="Intervals over items and over topics, side by side.")
    parser.add_argument("--studies", type=int, default=250)
    parser.add_argument("--topics", type=int, default=30)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--shift", type=float, nargs="+", default=[0.0, 0.4])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun = time.perf_counter()
    print(
        f"{options.studies} studies of {options.topics} topics, {options.documents} documents and "
        f"{options.readers} readers: standard error of a cell {np.sqrt(0.95 * 0.05 / options.studies):.3f}"
    )
    for shift in options.shift:
        print(f"\nshift of {shift} grade{'':20}true   items: boot  jack-t   topics: boot  jack-t")
        found = coverage(
            shift,
            options.topics,
            options.documents,
            options.readers,
            options.studies,
            options.resamples,
            options.seed,
        )
        for label, (true, *shares) in found.items():
            a, b, c, d = shares
            print(f"{label:36}{true:6.3f}  {a:11.3f}{b:8.3f}  {c:12.3f}{d:8.3f}", flush=True)
    print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()

"""How long the complete reports take, and how that compares with a loop over a library or over pairs.

    python -m benchmarks.agreement [nominal | spans | database] [--judgments 1000000] [--annotators 3]

Nominal (--options 3).
Ours: judgments as arrays → table → every nominal measure with its 95 % interval from 2,000 resamples.
Theirs, in the same run on the same judgments: statsmodels' aggregate_raters and fleiss_kappa (Fleiss and
Randolph, point values), and the usual bootstrap that resamples rows and calls fleiss_kappa again, timed for
--loop resamples and extrapolated to 2,000. Times leave out imports and are the best of
three, except the loop's.

Spans. Ours: answers as arrays → table → every span measure with interval and p-value, offsets, distribution
and agreement on declined answers. The plain loop in the same run, on the first --subset items: four point
values, pair by pair, and --loop resamples of the first three, item by item; extrapolated to all items and
2,000 resamples. It leaves span_alpha out: a loop over all pairs of spans would take days.

Database. The same judgments in a SQLite file as the application writes them, all studies in one, with one of
grades of documents of --topics: ``evaluation.report.compute.report`` from rows to numbers with intervals, and
in the same run a loop that reads the rows and has statsmodels compute two values, or goes from pair to pair
of spans; no interval. Bars: 0.6 s for choices, 2 s for spans, 1.5 s for grades (1 s behind the database).
"""

import argparse
import itertools
import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from benchmarks import filled
from evaluation.metrics.nominal.table import tabulate
from evaluation.metrics.registry import report, span_report
from evaluation.metrics.spans.item_sums import item_sums
from evaluation.metrics.spans.table import tabulate_spans

RESAMPLES = 2000


def seconds(
    work: Callable[[], object], repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the complete reports.")
    parser.add_argument(
        "kind",
        nargs="?",
        choices=["nominal", "spans", "database"],
        help="default: the first two",
    )
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--annotators", type=int, default=3, help="judgments on every item")
    parser.add_argument("--options", type=int, default=3)
    parser.add_argument("--topics", type=int, default=600, help="of the study of relevance")
    parser.add_argument("--loop", type=int, default=3, help="resamples timed in the library loop")
    parser.add_argument("--subset", type=int, default=5000, help="items of the plain loop over spans")
    arguments = parser.parse_args()
    if arguments.kind == "database":
        database(arguments)
        return
    if arguments.kind != "spans":
        nominal(arguments)
    if arguments.kind != "nominal":
        spans(arguments)


def simulated_choices(n_items: int, m: int, q: int, right: float = 0.8) -> tuple[np.ndarray, ...]:
    """Item, annotator, choice and, of items, gold: ``right`` so often, else any option."""
    generator = np.random.default_rng(1)
    gold = generator.integers(0, q, n_items)
    item, annotator = np.repeat(np.arange(n_items), m), np.tile(np.arange(m), n_items)
    hits = generator.random(n_items * m) < right
    return item, annotator, np.where(hits, gold[item], generator.integers(0, q, n_items * m)), gold


def simulated_grades(n_items: int, m: int, topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Grades 0 to 4 (N x m, item by item) and the topic of each item (N,)."""
    generator = np.random.default_rng(2)
    topic = np.arange(n_items) % topics
    read = generator.normal(1.5, 1.3, (n_items, 1)) + generator.normal(0, 0.4, (topics, m))[topic]
    grade = np.clip(np.rint(read + generator.normal(0, 0.5, (n_items, m))), 0, 4)
    return grade.astype(np.int64).ravel(), topic


def nominal(arguments: argparse.Namespace) -> None:
    m, q = arguments.annotators, arguments.options
    n_items = arguments.judgments // m
    item, annotator, choice, gold = simulated_choices(n_items, m, q)
    generator = np.random.default_rng(2)

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


def simulated_spans(n_items: int, annotators: int) -> tuple[np.ndarray, ...]:
    """Answers round an anchor, lengths about the paper's, borders off by ± 1.2 tokens, 5 % declined."""
    generator = np.random.default_rng(1)
    item, annotator = np.repeat(np.arange(n_items), annotators), np.tile(np.arange(annotators), n_items)
    length = generator.integers(60, 200, n_items)
    anchor = length // 2
    reach = generator.geometric(0.25, (2, n_items))[:, item] - 1
    reach += np.rint(generator.normal(0, 1.2, reach.shape)).astype(int)
    reach = np.clip(reach, 0, 29)
    declined = generator.random(len(item)) < 0.05
    start, end = anchor[item] - reach[0], anchor[item] + 1 + reach[1]
    return item, annotator, start, end, anchor, anchor + 1, length, declined


def plain_loop(
    answers: tuple[np.ndarray, ...], n_items: int, resamples: int
) -> tuple[dict[str, float], float, float]:
    """Values on the first items by plain Python, with the seconds for them and for the resamples."""
    rows = list(zip(*(column.tolist() for column in (*answers[:4], answers[7])), strict=True))
    length = answers[6].tolist()
    begun = time.perf_counter()
    items: dict[int, list[tuple[int, int]]] = {}
    for item, _, start, end, declined in rows:
        if item < n_items and not declined:
            items.setdefault(item, []).append((start, end))
    per_item, differing, tokens, inside = [], 0.0, 0, 0
    for item, marked in items.items():
        if len(marked) < 2:
            continue
        found = []
        for one, other in itertools.combinations(marked, 2):
            shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
            union = one[1] - one[0] + other[1] - other[0] - shared
            found.append((shared / union, shared, union, shared == union, 1))
            differing += 2 * (union - shared) / (len(marked) - 1)
        per_item.append([sum(column) for column in zip(*found, strict=True)])
        tokens += len(marked) * length[item]
        inside += sum(end - start for start, end in marked)
    values = paper_values(per_item)
    values["token_alpha"] = 1 - (tokens - 1) * differing / (2 * inside * (tokens - inside))
    point = time.perf_counter() - begun
    begun, chance = time.perf_counter(), random.Random(1)
    for _ in range(resamples):
        paper_values(chance.choices(per_item, k=len(per_item)))
    return values, point, time.perf_counter() - begun


def paper_values(per_item: list[list[float]]) -> dict[str, float]:
    overlap, shared, union, same, pairs = (sum(column) for column in zip(*per_item, strict=True))
    observed, expected = overlap / pairs, shared / union
    return {
        "lcs_overlap_kappa": (observed - expected) / (1 - expected),
        "observed_overlap": observed,
        "identical_pairs": same / pairs,
    }


def spans(arguments: argparse.Namespace) -> None:
    m = arguments.annotators
    n_items = arguments.judgments // m
    answers = simulated_spans(n_items, m)
    table = tabulate_spans(*answers)
    found = span_report(table, seed=1, resamples=RESAMPLES)
    tabulating = seconds(lambda: tabulate_spans(*answers))
    reporting = seconds(lambda: span_report(table, seed=1, resamples=RESAMPLES))
    subset = min(arguments.subset, n_items)
    values, point, looped = plain_loop(answers, subset, arguments.loop)
    few = item_sums(table.only(np.arange(n_items) < subset))
    counts = found.counts
    print(
        f"\n{n_items * m} span judgments, {n_items} items x {m}: {counts.n_spans} spans, "
        f"{counts.n_declined} declined, {counts.n_pairs} pairs"
    )
    print(f"ours: table {tabulating * 1e3:.1f} ms + report, everything {reporting * 1e3:.1f} ms")
    scale = n_items / subset
    loop = looped / arguments.loop * RESAMPLES * scale
    print(
        f"plain loop on {subset} items, extrapolated: four point values {point * scale:.1f} s, "
        f"three intervals {loop:.0f} s"
    )
    ours = tabulating + reporting
    points = point * scale
    print(f"ratio to point values {ours / points:.3f}, to points + loop {ours / (points + loop):.6f}")
    for line in found.lines:
        slug, estimate = line.measure.slug, line.estimate
        numbers = [f"{number:.6f}" if number is not None else "-" for number in estimate[2:5]]
        beside = ""
        if slug in values:
            beside = f"  loop - ours on {subset} items {values[slug] - (line.measure.value(few) or 0):.1e}"
        p = f" p {line.test.p:.4f}" if line.test else ""
        print(
            f"{line.measure.label:22} {numbers[0]} [{numbers[1]}, {numbers[2]}]{p}{beside} {estimate.method}"
        )


def database(arguments: argparse.Namespace) -> None:
    m, q = arguments.annotators, arguments.options
    n_items = arguments.judgments // m
    _, _, choice, gold = simulated_choices(n_items, m, q)
    with filled.fresh_database():
        marked = filled.spans(simulated_spans(n_items, m), m)
        chosen = filled.choices(choice, gold, m, q, np.random.default_rng(3))
        graded = filled.grades(*simulated_grades(n_items, m, arguments.topics), m)
        filled.close()
        from_rows("relevance", 1.5, graded)
        from_rows("choice", 0.6, chosen)
        from_rows("span", 2.0, marked)


def from_rows(task: str, bar: float, study: Any) -> None:
    """Processor seconds as well: those of the clock tell little on a machine that others use."""
    from evaluation.report.compute import report as full

    found = full(study)
    ours = seconds(lambda: full(study))
    busy = seconds(lambda: full(study), clock=time.process_time)
    begun = time.process_time()
    theirs = one_by_one(task, study)
    loop = time.process_time() - begun
    print(f"\n{found.n_answers} {task} judgments in SQLite: full report {ours:.2f} s by the clock")
    print(
        f"processor {busy:.2f} s, bar {bar}: {'kept' if busy <= bar else f'missed, {busy / bar:.2f} times'}"
    )
    print(f"{theirs} {loop:.1f} s of processor, ratio {busy / loop:.3f}")
    print(f"load of the machine {os.getloadavg()[0]:.1f}")


def one_by_one(task: str, study: Any) -> str:
    """Read the rows one by one; then statsmodels on choices, or every pair of spans in plain Python, once."""
    from annotation.models import Judgment

    current = Judgment.objects.current().filter(assignment__study=study).order_by("item", "annotator")
    rows = current.values_list("item", "answer")
    items: dict[int, list[Any]] = {}
    for item, answer in rows.iterator(10_000):
        items.setdefault(item, []).append(answer)
    if task == "relevance":
        counts = aggregate_raters(np.array([[said["grade"] for said in each] for each in items.values()]))[0]
        fleiss_kappa(counts)
        return "rows one by one and Fleiss' κ of statsmodels"
    if task == "choice":
        counts = aggregate_raters(np.array([[said["option"] for said in each] for each in items.values()]))[0]
        fleiss_kappa(counts), fleiss_kappa(counts, method="randolph")
        return "rows one by one and two values of statsmodels"
    spans = ([said for said in each if "start" in said] for each in items.values())
    pairs = (pair for each in spans for pair in itertools.combinations(each, 2))
    overlap, n = 0.0, 0
    for one, other in pairs:
        shared = max(0, min(one["end"], other["end"]) - max(one["start"], other["start"]))
        overlap += shared / (one["end"] - one["start"] + other["end"] - other["start"] - shared)
        n += 1
    return f"rows one by one and the mean overlap of their pairs, {overlap / n:.4f},"


if __name__ == "__main__":
    main()

"""How long it takes to evaluate runs: topics x depth x runs, in seconds of the processor.

    python -m benchmarks.runs [--topics 600] [--depth 1000] [--runs 10] [--judged 250]

Files are not read: the runs lie in memory as ids and scores, best first, as a reader leaves them.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from evaluation.metrics.ranking.compared import compare_runs
from evaluation.metrics.ranking.evaluated import evaluate, run_means
from evaluation.metrics.ranking.graded import judgments
from evaluation.metrics.ranking.measures import DEFAULT, FURTHER
from evaluation.metrics.ranking.order import ordered

DOCUMENTS = 64_000
MEASURES = (*DEFAULT, *FURTHER)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the evaluation of runs.")
    parser.add_argument("--topics", type=int, default=600)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--judged", type=int, default=250, help="documents of a topic")
    options = parser.parse_args()
    generator = np.random.default_rng(1)
    names = [f"doc{n:06}" for n in range(DOCUMENTS)]

    def some(n: int) -> list[str]:
        return [names[at] for at in generator.choice(DOCUMENTS, n, replace=False)]

    def best_first(topic: str) -> tuple[list[str], np.ndarray]:
        known = list(qrels[topic])
        found = list(dict.fromkeys([*known[: options.judged // 2], *some(options.depth)]))[: options.depth]
        return found, np.sort(generator.random(len(found)))[::-1]

    qrels = {
        f"t{n}": dict(
            zip(some(options.judged), generator.integers(0, 5, options.judged).tolist(), strict=True)
        )
        for n in range(options.topics)
    }
    runs = {f"run{n}": {topic: best_first(topic) for topic in qrels} for n in range(options.runs)}
    print(
        f"{options.runs} runs of {options.topics} topics to depth {options.depth:,}, "
        f"{options.judged} judged documents a topic, {len(MEASURES)} measures"
    )
    begun = time.process_time()

    def told(what: str) -> None:
        nonlocal begun
        now = time.process_time()
        print(f"{what:44}{now - begun:8.2f} s", flush=True)
        begun = now

    judged = judgments(qrels, 2, 4)
    told("judgments made ready")
    in_order = {name: ordered(run) for name, run in runs.items()}
    told("runs put in order")
    found = [evaluate(name, run, judged, MEASURES) for name, run in in_order.items()]
    told("every measure for every topic")
    for run in found:
        run_means(run, seed=1)
    told("means with intervals, 2,000 resamples")
    compare_runs(found, "run0", seed=1)
    told("every run against the first, with Holm")


if __name__ == "__main__":
    main()

"""How long it takes to evaluate runs: topics x depth x runs, in seconds of the processor.

    python -m benchmarks.runs [--topics 600] [--depth 1000] [--runs 10] [--judged 250]

The runs are written as files and read again, as `manage.py evaluate_runs` does. Memory is the most that the
process ever held, what it made the runs of apart.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from evaluation.metrics.ranking.compared import difference, together
from evaluation.metrics.ranking.evaluated import evaluate, run_means
from evaluation.metrics.ranking.graded import judgments
from evaluation.metrics.ranking.measures import DEFAULT, FURTHER
from evaluation.runs.files import read_qrels, read_runs

DOCUMENTS = 64_000
MEASURES = (*DEFAULT, *FURTHER)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the evaluation of runs.")
    parser.add_argument("--topics", type=int, default=600)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--judged", type=int, default=250, help="documents of a topic")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    writer = multiprocessing.get_context("fork").Process(target=_write, args=(folder, options))
    writer.start()
    writer.join()
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

    judged = judgments(read_qrels(folder / "qrels"), 2, 4)
    told("judgments read and made ready")
    runs = read_runs(sorted(folder.glob("*.run")))
    told("runs read and put in order")
    found = [evaluate(each.name, each.run, judged, MEASURES) for each in runs]
    told("every measure for every topic")
    for run in found:
        run_means(run, seed=1)
    told("means with intervals, 2,000 resamples")
    together([difference(run, found[0], seed=1) for run in found[1:]])
    told("every run against the first, with Holm")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB at most")
    shutil.rmtree(folder)


def _write(folder: Path, options: argparse.Namespace) -> None:
    """Write judgments and runs: a process of its own does it, whose memory does not count."""
    generator = np.random.default_rng(1)
    names = [f"doc{n:06}" for n in range(DOCUMENTS)]

    def some(n: int) -> list[str]:
        return [names[at] for at in generator.choice(DOCUMENTS, n, replace=False)]

    judged = {f"t{n}": some(options.judged) for n in range(options.topics)}
    with (folder / "qrels").open("w") as file:
        for topic, known in judged.items():
            grades = generator.integers(0, 5, len(known)).tolist()
            file.writelines(f"{topic} 0 {each} {grade}\n" for each, grade in zip(known, grades, strict=True))
    for run in (f"run{n}" for n in range(options.runs)):
        with (folder / f"{run}.run").open("w") as file:
            for topic, known in judged.items():
                mixed = dict.fromkeys([*known[: options.judged // 2], *some(options.depth)])
                found = list(mixed)[: options.depth]
                scores = np.sort(generator.random(len(found)))[::-1].tolist()
                rows = enumerate(zip(found, scores, strict=True), 1)
                file.writelines(f"{topic} Q0 {each} {n} {score:.6f} {run}\n" for n, (each, score) in rows)


if __name__ == "__main__":
    main()

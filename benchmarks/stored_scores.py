"""An index of counts beside one of stored scores: what it costs that one index serves every variant.

    nice python -m benchmarks.stored_scores [--documents 100000]

100 topics of 160 words and 100 of 3 are scored on a generated corpus (`benchmarks.collection`), each way in
the same process and in turn, the best of five rounds: from counts, as `retrieval.engine.corpora` does it, and
from scores of one variant, k1 and b, computed before: in float64 and in float32, added in the same way, and
in float64 by `sums[rows] += weights`. Only the adding is timed: no term is looked up, no document is taken
out. Beside it: what a posting takes on disk, and what a subset of half the documents takes to be counted.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.collection import LONG, SHORT, TOPICS, drawn
from retrieval.engine.corpora.building import build
from retrieval.engine.corpora.index import CorpusIndex, subset
from retrieval.engine.corpora.searching import Searcher

AT_A_TIME = 2**16
ROUNDS = 5

Known = list[tuple[int, float, int]]


def stored(searcher: Searcher) -> np.ndarray:
    """The score of every posting, as `lucene` has it."""
    index, n = searcher.index, searcher.subset.documents
    found = np.empty(index.manifest.postings)
    at = 0
    for number, frequency in enumerate(searcher.subset.frequencies.tolist()):
        documents, counts = index.postings(number)
        weights = searcher.settings.weigh(
            counts, searcher._norms[documents], searcher.settings.idf(frequency, n)
        )
        found[at : at + frequency] = weights
        at += frequency
    return found


def adding(searcher: Searcher, scores: np.ndarray, *, usual: bool = False) -> Callable[[Known], None]:
    """Add stored scores to the searcher's own row of sums, as it does or in the usual way."""
    starts = np.concatenate(([0], np.cumsum(searcher.subset.frequencies))).tolist()
    sums = searcher._scores

    def add(known: Known) -> None:
        for number, weight, _ in known:
            documents, _ = searcher.index.postings(number)
            part = scores[starts[number] : starts[number + 1]]
            for at in range(0, documents.size, AT_A_TIME):
                rows = documents[at : at + AT_A_TIME].astype(np.intp)
                weights = part[at : at + AT_A_TIME] * np.float64(weight)
                if usual:
                    sums[rows] += weights
                else:
                    np.add.at(sums, rows, weights)

    return add


def timed(add: Callable[[Known], object], topics: list[Known]) -> float:
    cpu = time.process_time()
    for topic in topics:
        add(topic)
    return time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    number = parser.parse_args().documents
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "index"
        build(folder, lambda first: itertools.islice(drawn(1, number, 130), first, None), number)
        index = CorpusIndex(folder)
        searcher = Searcher(index)
        scores = stored(searcher)
        ways = {
            "counts": searcher._add,
            "float64 scores": adding(searcher, scores),
            "the usual way": adding(searcher, scores, usual=True),
            "float32 scores": adding(searcher, scores.astype(np.float32)),
        }
        print(f"{number:,} documents, {index.manifest.postings:,} postings")
        for size in (LONG, SHORT):
            texts = drawn(size, TOPICS, size, poisson=False)
            topics = [searcher._looked_up(index.tokeniser.query(text))[0] for text in texts]
            postings = sum(frequency for topic in topics for _, _, frequency in topic)
            seconds = dict.fromkeys(ways, np.inf)
            for _, (name, add) in itertools.product(range(ROUNDS), ways.items()):
                seconds[name] = min(seconds[name], timed(add, topics))
                searcher._scores.fill(0)
            print(f"topics of {size} words, {postings / TOPICS:,.0f} postings each:")
            for name, value in seconds.items():
                each = f"{1000 * value / TOPICS:7.2f} ms a topic, {1e9 * value / postings:5.2f} ns a posting"
                print(f"    {name:<16}{each}, {value / seconds['float64 scores']:.2f} of float64 scores")
        counted = index.manifest.files["counts.npy"]["bytes"] / index.manifest.postings
        print(f"bytes a posting: counts {4 + counted:.0f}, float32 scores 8, float64 scores 12")
        cpu = time.process_time()
        subset(index, np.arange(number) % 2 == 0, "half")
        print(f"a subset of half the documents is counted in {time.process_time() - cpu:.3f} CPU s")


if __name__ == "__main__":
    main()

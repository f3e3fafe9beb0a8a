"""Word Mover's Distance over a book, pruned, against POT on all pairs; and how fast averages are.

    OPENBLAS_NUM_THREADS=1 VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.movers

Passages are the sentences of Pride and Prejudice, queries runs of 10 and of 150 words of Helm's book on
Austen (1909), evenly spaced. The word vectors are made here, of the novels in that folder: positive pointwise
mutual information in a window of 5 words to each side, and the first 100 dimensions of its singular value
decomposition, times the roots of the singular values (Levy, Goldberg and Dagan 2015). They are no good
vectors; vectors of a large collection lie otherwise, and prune otherwise.

Seconds are those of the processor. POT on all pairs is `ot.emd2` on a sample of the pairs of a few queries
(--pairs), given the costs of all words at once as the ranker computes them, times the number of passages.
Unpruned is the ranker with `exact` at all passages; relaxed, the share that it solves if no bound is raised.
Bars, of each cost and length of queries: the 50 nearest sentences ≥ 5 times faster than POT, the same 50 as
without pruning, < 5 % of the problems solved, distances those of POT to 1e-8. Exit status 1: one is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from retrieval.engine.ranking import order, rankers
from retrieval.engine.similarity import movers, transport
from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment
from retrieval.engine.text.tokens import words
from retrieval.engine.words.vectors import WordVectors

NOVEL = "novels/pride_and_prejudice.txt"
CRITIC = "criticism/helm_1909_country_house_comedy.txt"
LENGTHS = (10, 150)
FIRST = 50
WIDTH, WINDOW = 100, 5


class Measured(NamedTuple):
    """What the queries of one length took, on average.

    pruned, plain, pot: processor seconds a query, with pruning, without, and by `ot.emd2` (computed).
    share, relaxed: of the problems that were solved; that are if no bound is raised.
    error: the greatest difference from POT.
    same: whether the first are the same without pruning, in every query that was tried.
    """

    pruned: float
    plain: float
    pot: float
    share: float
    relaxed: float
    error: float
    same: bool


def text(folder: Path, name: str) -> str:
    return prepare((folder / name).read_text(encoding="utf-8")).text


def vectors(texts: Sequence[str]) -> WordVectors:
    """PPMI of words within a window, reduced by SVD."""
    numbers: dict[str, int] = {}
    runs = [np.array([numbers.setdefault(word, len(numbers)) for word in words(each)]) for each in texts]
    pairs = [(run[:-gap], run[gap:]) for run in runs for gap in range(1, WINDOW + 1)]
    one, other = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    shape = (len(numbers), len(numbers))
    counts = sparse.coo_array((np.ones(len(one)), (one, other)), shape=shape).tocsr()
    counts = (counts + counts.T).tocoo()
    totals = counts.sum(axis=0)
    information = np.log(counts.data * totals.sum() / (totals[counts.row] * totals[counts.col]))
    positive = information > 0
    cells = (information[positive], (counts.row[positive], counts.col[positive]))
    left, values, _ = svds(sparse.csr_array(cells, shape=shape), k=WIDTH, random_state=0)
    return WordVectors(list(numbers), (left * np.sqrt(values)).astype(np.float32))


def runs_of(critic: str, length: int, number: int) -> list[str]:
    """Runs of so many words, evenly spaced."""
    found = words(critic)
    starts = np.linspace(0, len(found) - length, number).astype(int)
    return [" ".join(found[start : start + length]) for start in starts]


def by_pot(
    query: str, passages: Sequence[str], known: WordVectors, cost: transport.Cost
) -> tuple[Any, float]:
    """Distances of a query to passages by `ot.emd2`, and the seconds of processor for them."""
    import ot

    def bag(passage: str) -> tuple[Any, Any]:
        counts = Counter(row for row in known.rows(words(passage)).tolist() if row >= 0)
        return list(counts), np.array(list(counts.values())) / counts.total()

    vectors = transport.at_cost(known.matrix.astype(np.float64), cost)
    rows, shares = bag(query)
    costs = transport.costs(vectors, vectors[rows], cost)
    bags = [bag(passage) for passage in passages]
    began = time.process_time()
    found = [ot.emd2(theirs, shares, costs[at]) for at, theirs in bags]
    return np.array(found), time.process_time() - began


def measure(
    passages: Sequence[str], queries: Sequence[str], known: WordVectors, cost: transport.Cost, pairs: int
) -> Measured:
    pruned, plain = (
        rankers.get("wmd").prepare(passages, {"vectors": known, "cost": cost, "exact": number})
        for number in (FIRST, len(passages))
    )
    pruned.scores(["warm"]), pruned.scores(queries[:1])
    began = time.process_time()
    found = [pruned.distances(query) for query in queries]
    took = (time.process_time() - began) / len(queries)
    tried = queries[:: max(1, len(queries) // 3)]
    began = time.process_time()
    full = plain.scores(tried)
    every = (time.process_time() - began) / len(tried)
    firsts = [order.top(row, FIRST).tolist() for row in full]
    pot = error = 0.0
    draw = np.random.default_rng(1)
    able = np.flatnonzero(np.isfinite(full[0]))
    for query, row in zip(tried, full, strict=True):
        sample = draw.choice(able, pairs, replace=False)
        distances, seconds = by_pot(query, [passages[at] for at in sample], known, cost)
        pot += seconds / pairs * len(passages) / len(tried)
        error = max(error, float(np.abs(distances + row[sample]).max()))
    again = pruned.scores(tried)
    same = all(order.top(row, FIRST).tolist() == first for row, first in zip(again, firsts, strict=True))
    share = float(np.mean([each.exact.mean() for each in found]))
    with mock.patch.object(movers, "STEPS", 0):
        relaxed = float(np.mean([pruned.distances(query).exact.mean() for query in queries]))
    return Measured(took, every, pot, share, relaxed, error, same)


def averages(passages: Sequence[str], queries: Sequence[str], known: WordVectors) -> None:
    for slug in ("bow-emb", "tfidf-emb"):
        began = time.process_time()
        index = rankers.get(slug).prepare(passages, {"vectors": known})
        made = time.process_time() - began
        began = time.process_time()
        index.scores(queries)
        rate = len(queries) / (time.process_time() - began)
        print(f"{slug:<10} {made:6.2f} s to prepare   {rate:8,.0f} queries a second")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=8, help="of each length (default: 8)")
    parser.add_argument("--pairs", type=int, default=200, help="for POT, of each query (default: 200)")
    asked = parser.parse_args()
    folder = Path(os.environ.get("VARIORUM_TEST_DATA") or sys.exit("Name a folder in VARIORUM_TEST_DATA."))
    novel = text(folder, NOVEL)
    passages = [novel[start:end] for start, end in segment(novel).sentences]
    began = time.process_time()
    known = vectors(
        [prepare(each.read_text(encoding="utf-8")).text for each in sorted(folder.glob("novels/*.txt"))]
    )
    print(f"{len(known.words):,} vectors of {WIDTH} dimensions made in {time.process_time() - began:.0f} s")
    print(f"{len(passages):,} sentences; the first {FIRST}; processor seconds a query")
    print(
        "cost            words   pruned  unpruned  POT, all pairs   faster   solved  relaxed   error   same"
    )
    missed = False
    critic = text(folder, CRITIC)
    for cost in transport.COSTS:
        for length in LENGTHS:
            one = measure(passages, runs_of(critic, length, asked.queries), known, cost, asked.pairs)
            faster = one.pot / one.pruned
            print(
                f"{cost:<14} {length:6} {one.pruned:8.3f} {one.plain:9.2f} {one.pot:15.2f} {faster:7.1f}x"
                f" {one.share:8.2%} {one.relaxed:8.2%} {one.error:7.0e}   {'yes' if one.same else 'NO'}",
                flush=True,
            )
            missed |= faster < 5 or one.error > 1e-8 or not one.same or one.share >= 0.05
    averages(passages, runs_of(critic, 150, 200), known)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

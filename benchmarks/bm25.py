"""BM25 against rank_bm25 (in every bit) and bm25s (in queries a second), in one run.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.bm25 [--quick]

Queries are runs of 160 words of the three critics. Passages are the novels cut
at sentence ends by a plain rule, so that the figures do not move when the
segmenter does. Times are the best of several rounds; only ratios inside one run
mean anything. bm25s (requirements.txt here) adds its row; without it the row is left out.
Exit status 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks import quotations
from retrieval.engine.ranking import order
from retrieval.engine.ranking.bm25 import Bm25, count, windows
from retrieval.engine.text.tokens import words

K1, B, TOP = 0.5, 0.9, 50
QUERY_WORDS = 160
NOVELS = (*quotations.NOVELS, "frankenstein", "heart_of_darkness")

Tokens = list[list[str]]
missed: list[str] = []


def sentences(folder: Path, novel: str) -> Tokens:
    """The words of each sentence; sentences without a word are kept, as in a book."""
    text = (folder / "novels" / f"{novel}.txt").read_text(encoding="utf-8")
    return [words(sentence) for sentence in re.split(r"(?<=[.!?;:])[\"”’)_]*\s+", text)]


def contexts(folder: Path, number: int) -> Tokens:
    """`number` runs of words, spread evenly over the three critics."""
    texts = sorted((folder / "criticism").glob("*.txt"))
    critics = list(chain.from_iterable(words(path.read_text(encoding="utf-8")) for path in texts))
    starts = np.linspace(0, len(critics) - QUERY_WORDS, number).astype(int)
    return [critics[start : start + QUERY_WORDS] for start in starts.tolist()]


def joined(tokens: Tokens, size: int) -> Tokens:
    return [list(chain(*tokens[at : at + size])) for at in range(len(tokens) - size + 1)]


def seconds(
    work: Callable[[], object], rounds: int = 3, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The best of several rounds: the machine is shared."""
    taken = []
    for _ in range(rounds):
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def bar(name: str, value: float, least: float) -> str:
    if value < least:
        missed.append(f"{name}: {value:,.2f}, bar {least:g}")
    return f"{value:8,.1f}x (bar {least:g}x)"


def equality(book: str, tokens: Tokens, queries: Tokens) -> None:
    """Every bit of every score, and the first two of a full sort, for n = 1, 3, 5."""
    for size in (1, 3, 5):
        passages = joined(tokens, size)
        theirs, ours = BM25Okapi(passages, k1=K1, b=B), Bm25(passages, k1=K1, b=B)
        equal = first_two = near = 0
        for query in queries:
            expected, scores = theirs.get_scores(query), ours.get_scores(query)
            equal += expected.tobytes() == scores.tobytes()
            by_sort = np.lexsort((np.arange(len(expected)), -expected))[:2]
            first_two += order.top(scores, 2).tolist() == by_sort.tolist()
            near += order.top(ours.batch_scores([query])[0], 2).tolist() == by_sort.tolist()
        floored = sum(value == theirs.epsilon * theirs.average_idf for value in theirs.idf.values())
        print(
            f"{book:<20} n={size}  {len(passages):>7,} passages  {floored:>3} floored words  "
            f"bit-equal {equal}/{len(queries)}  same first two {first_two}/{len(queries)}  "
            f"(batch path {near}/{len(queries)})"
        )
        if min(equal, first_two) < len(queries):
            missed.append(f"{book} n={size}: bit-equal {equal}, first two {first_two} of {len(queries)}")


def speed(name: str, passages: Tokens, queries: Tokens, n_slow: int, least: float) -> None:
    """Queries a second of one passage size; rank_bm25 is timed on `n_slow` of them."""
    theirs, ours = BM25Okapi(passages, k1=K1, b=B), Bm25(passages, k1=K1, b=B)
    ours.batch_scores(queries[:1])
    slow = n_slow / seconds(lambda: [theirs.get_scores(query) for query in queries[:n_slow]], 2)
    exact = len(queries) / seconds(lambda: [ours.get_scores(query) for query in queries])
    ranked = len(queries) / seconds(lambda: [order.top(ours.get_scores(query), TOP) for query in queries])
    batch = len(queries) / seconds(lambda: [order.top(row, TOP) for row in ours.batch_scores(queries)])
    print(name)
    print(f"    rank_bm25 get_scores          {slow:10,.1f} q/s")
    print(f"    bit-equal get_scores          {exact:10,.1f} q/s {bar(name, exact / slow, least)}")
    print(f"    bit-equal, top {TOP}             {ranked:10,.1f} q/s {ranked / slow:8,.1f}x")
    print(f"    batch, top {TOP}                 {batch:10,.1f} q/s {batch / slow:8,.1f}x")
    if find_spec("bm25s"):
        peer = len(queries) / bm25s_seconds(passages, queries)
        print(f"    bm25s numpy lucene f32, top {TOP}{peer:10,.1f} q/s {peer / slow:8,.1f}x")
        print(f"    batch against bm25s           {'':14} {bar(name + ' bm25s', batch / peer, 2)}")


def bm25s_seconds(passages: Tokens, queries: Tokens) -> float:
    import bm25s

    peer = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numpy")
    peer.index(passages, show_progress=False)
    return seconds(lambda: peer.retrieve(queries, k=TOP, show_progress=False, backend_selection="numpy"))


def build(book: str, tokens: Tokens) -> None:
    """Five window sizes from one tokenisation, against rank_bm25's own five."""
    five = [joined(tokens, size) for size in range(1, 6)]
    theirs = seconds(lambda: [BM25Okapi(passages, k1=K1, b=B) for passages in five])
    ours = seconds(lambda: [Bm25(counts, k1=K1, b=B) for counts in windows(count(tokens), 5)])
    *_, widest = windows(count(tokens), 5)
    index = Bm25(widest, k1=K1, b=B)
    postings = (index._weights.nbytes + index._passages.nbytes) / widest.matrix.nnz
    print(
        f"{book:<20} n=1..5  build {ours:.2f} s, rank_bm25 {theirs:.2f} s "
        f"{bar(book + ' build', theirs / ours, 1)}  {postings:.0f} bytes a posting"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Heart of Darkness only, no bar on the ratio")
    quick = parser.parse_args().quick
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    queries = contexts(folder, 256)
    books = {novel: sentences(folder, novel) for novel in NOVELS}
    if quick:
        plan = [("heart_of_darkness", books["heart_of_darkness"], 20, 0.0)]
    else:
        everything = list(chain.from_iterable(books.values()))
        plan = [
            ("pride_and_prejudice", books["pride_and_prejudice"], 20, 100.0),
            ("seven novels as one", everything, 5, 200.0),
        ]
    for book, tokens, n_slow, _ in plan:
        equality(book, tokens, queries[:: 4 if n_slow > 5 else 32])
    for book, tokens, n_slow, least in plan:
        build(book, tokens)
        for size in (1, 3, 5):
            speed(f"{book:<20} n={size}", joined(tokens, size), queries, n_slow, least)
    print("\n".join(["Bars missed:", *missed]) if missed else "Every bar is met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

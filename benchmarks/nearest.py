"""Exact search of a corpus's vectors against numpy alone: `nice python -m benchmarks.nearest`.

64,183 documents (LitSearch's number) of 384 numbers, as float16, 597 queries, the best 100 and 1,000. numpy
multiplies float32 and sorts every row, stably, or partitions it and leaves the order open. Both have the
vectors in memory and the processor's threads.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from retrieval.engine.nearest.searching import nearest

AT_ONCE = 64
"""Queries that numpy compares at once: their scores of a corpus take 16 MB."""
Vectors = npt.NDArray[np.float32]


def drawn(documents: int, queries: int, width: int) -> tuple[npt.NDArray[np.float16], Vectors]:
    """Return vectors of length 1, as they are kept, and queries."""
    random = np.random.default_rng(0)
    found = random.normal(size=(documents + queries, width)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found[:documents].astype(np.float16), found[documents:]


def by_numpy(vectors: npt.NDArray[np.float16], queries: Vectors, k: int, *, sort: bool) -> list[set[int]]:
    """Return the numbers of the best k of each query."""
    widened, found = vectors.astype(np.float32).T, []
    for start in range(0, len(queries), AT_ONCE):
        scores = -(queries[start : start + AT_ONCE] @ widened)
        placed = np.argsort(scores, axis=1, kind="stable") if sort else np.argpartition(scores, k, axis=1)
        found += [set(row) for row in placed[:, :k].tolist()]
    return found


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=64_183)
    parser.add_argument("--queries", type=int, default=597)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    vectors, queries = drawn(asked.documents, asked.queries, asked.width)
    for k in (100, 1_000):
        ours = [set(each.numbers.tolist()) for each in nearest(vectors, queries, k)]
        same = sum(map(set.__eq__, ours, by_numpy(vectors, queries, k, sort=True)))
        ways = (
            lambda k=k: nearest(vectors, queries, k),
            lambda k=k: by_numpy(vectors, queries, k, sort=True),
            lambda k=k: by_numpy(vectors, queries, k, sort=False),
        )
        taken, sorted_, parted = (min(timed(way) for _ in range(asked.rounds)) for way in ways)
        print(
            f"best {k:,}: {taken:.1f} s, {taken / sorted_:.2f} of numpy's product and sort, "
            f"{taken / parted:.2f} of its product and partition; the same documents for {same:,} of "
            f"{len(queries):,} queries"
        )


if __name__ == "__main__":
    main()

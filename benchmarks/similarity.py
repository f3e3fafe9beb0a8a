"""Soft cosine against gensim with the same S, and Tesserae in pairs a second, in one run.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.similarity
        [--queries 128] [--alone]

Passages are the sentences of Pride and Prejudice, and runs of three; queries are runs of 160 words of the
three critics. The word vectors are made here, by gensim's word2vec from the novel itself: enough to give S
the shape that it has, and good for nothing else. gensim is asked three ways: for all queries at once; by
lists of one query, which ours one at a time is held to; and for one query itself (`--alone`). That takes
another path in gensim, is far slower, and is not eq. 8, as it takes the length of a passage over the words
only that are similar to one of the query's. gensim is given counts, ours reads texts. Seconds are those of
the processor, the best of several rounds. Exit status 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from gensim.similarities import SoftCosineSimilarity, SparseTermSimilarityMatrix
from scipy import sparse

from benchmarks.bm25 import Tokens, contexts, joined, sentences
from benchmarks.bm25 import seconds as best_of
from retrieval.engine.ranking import order, rankers
from retrieval.engine.similarity import relations, terms
from retrieval.engine.similarity.soft_cosine import SoftCosineIndex
from retrieval.engine.words.vectors import WordVectors

NOVEL = "pride_and_prejudice"
SLOW = 8
"""Queries that are asked one by one."""
LEAST, NEAR = 50, 1e-6
Bag = list[tuple[int, float]]
missed: list[str] = []
seconds = partial(best_of, clock=time.process_time)


def trained(passages: Tokens) -> WordVectors:
    model = Word2Vec(passages, vector_size=100, min_count=1, epochs=5, seed=1, workers=1)
    return WordVectors(model.wv.index_to_key, model.wv.vectors)


def bags(rows: terms.Matrix) -> list[Bag]:
    """Rows as gensim takes them."""
    cells = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [
        [(int(each), float(value)) for each, value in zip(rows.indices[a:b], rows.data[a:b], strict=True)]
        for a, b in cells
    ]


def soft_cosine(passages: Sequence[str], queries: Sequence[str], vectors: WordVectors, alone: bool) -> None:
    read = terms.read(passages, terms.Reading())
    words = list(read.vocabulary)
    relation = relations.of_vectors(words, vectors, 50, 5)
    built = seconds(lambda: relations.of_vectors(words, vectors, 50, 5))
    index = SoftCosineIndex(read, relation)
    weighed = seconds(lambda: SoftCosineIndex(read, relation))
    ours = len(queries) / seconds(lambda: index.scores(queries))
    one = SLOW / seconds(lambda: [index.scores([query]) for query in queries[:SLOW]])
    print(
        f"    soft cosine: S of {len(words):,} words, {relation.matrix.nnz:,} numbers, in {built:.2f} s; "
        f"{len(passages):,} passages weighed in {weighed:.2f} s"
    )
    print(f"    ours, all at once             {ours:10,.1f} q/s")
    print(f"    ours, one at a time           {one:10,.1f} q/s")
    corpus = bags(terms.weighted(read.counts, read.idf()))
    asked = bags(terms.weighted(read.queries(queries), read.idf()))
    matrix = SparseTermSimilarityMatrix(sparse.csc_matrix(relation.matrix))
    theirs = SoftCosineSimilarity(corpus, matrix)
    many = len(queries) / seconds(lambda: theirs[asked], 2)
    single = SLOW / seconds(lambda: [theirs[[query]] for query in asked[:SLOW]], 1)
    expected = np.nan_to_num(np.asarray(theirs[asked]))
    apart = float(np.abs(np.clip(index.scores(queries), -1, 1) - expected).max())
    faster = one / single
    print(f"    gensim, all at once           {many:10,.1f} q/s; ours {ours / many:,.0f} times as many")
    print(f"    gensim, lists of one          {single:10,.1f} q/s")
    print(f"    ours one at a time            {faster:10,.0f} times as many (bar {LEAST})")
    if alone:
        start = time.process_time()
        other = np.asarray(theirs[asked[0]]).ravel()
        taken, gap = time.process_time() - start, float(np.abs(other - expected[0]).max())
        print(f"    gensim, one by itself         {1 / taken:10,.2f} q/s, up to {gap:.2f} away from eq. 8")
    print(f"    greatest difference of a score {apart:.1e} (bar {NEAR:.0e})")
    if faster < LEAST:
        missed.append(f"soft cosine {faster:.1f}x, bar {LEAST}x")
    if apart > NEAR:
        missed.append(f"soft cosine differs by {apart:.1e}")


def others(passages: Sequence[str], queries: Sequence[str]) -> None:
    for slug in ("bow", "tfidf", "tesserae"):
        ranker = rankers.get(slug)
        index = ranker.prepare(passages, {})
        built = seconds(lambda ranker=ranker: ranker.prepare(passages, {}), 1)
        rate = len(queries) / seconds(lambda index=index: index.scores(queries))
        unranked = float((index.scores(queries[:SLOW]) == order.UNRANKED).mean())
        print(
            f"    {slug:<10} prepared in {built:.2f} s  {rate:10,.1f} q/s "
            f"{rate * len(passages):14,.0f} pairs/s{f', {unranked:.0%} undefined' if unranked else ''}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=128)
    parser.add_argument(
        "--alone", action="store_true", help="ask gensim for one query by itself, too: minutes"
    )
    asked = parser.parse_args()
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    # A sentence without words has no length, and gensim divides by it.
    np.seterr(divide="ignore", invalid="ignore")
    single = sentences(folder, NOVEL)
    vectors = trained(single)
    queries = [" ".join(query) for query in contexts(folder, asked.queries)]
    for size in (1, 3):
        passages = [" ".join(passage) for passage in joined(single, size)]
        print(f"{NOVEL} n={size}: {len(passages):,} passages, {len(queries)} queries of 160 words")
        soft_cosine(passages, queries, vectors, asked.alone and size == 1)
        others(passages, queries)
    print("\n".join(["Bars missed:", *missed]) if missed else "Every bar is met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

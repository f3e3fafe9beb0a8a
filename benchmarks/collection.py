"""A corpus from a seed, of any size: indexed, searched and pooled, beside plain bm25s in the same run.

    nice python -m benchmarks.collection [--documents 100000] [--peer 100000] [--litsearch]

Documents have 130 words on average (Poisson) of a vocabulary of 400,000 by Zipf's law. They are written to a
JSONL file, which is not timed, and streamed from it. Each act runs in a process of its own: reading and
indexing; 100 topics of 3 words and 100 of 160, 100 documents each; the same topics by RM3; and a pool, the
union of the first 100 of both for each topic. Own memory is what the process holds besides pages of files
(RssAnon, sampled every 10 ms); the pages of a mapped index count with the system's cache.

bm25s 0.3.16 gets the same words of the first `--peer` documents (0: no peer), as the library is used by
itself: all texts in memory, its tokeniser without a stop list, its numpy backend, float32. Ratios are ours
over its. `--litsearch` takes 64,183 documents of 134 words and 597 queries of 20 words, 1,000 documents each.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

VOCABULARY = 400_000
TOPICS = 100
SHORT, LONG = 3, 160
DEPTH = 100
LITSEARCH = {"documents": 64_183, "words": 134, "topics": 597, "size": 20, "depth": 1000}
FILE = "documents.jsonl"


class Taken(NamedTuple):
    """What an act took, in seconds and MB, and what it gives back."""

    clock: float
    cpu: float
    own: float
    given: dict[str, Any]


def drawn(seed: int, number: int, words: int, *, poisson: bool = True) -> Iterator[str]:
    """Texts of words by Zipf's law; the same for every number that includes them."""
    shares = 1 / (np.arange(1, VOCABULARY + 1) + 2.7)
    sums = (shares / shares.sum()).cumsum()
    names = np.array([f"w{rank:x}" for rank in range(VOCABULARY)], dtype=object)
    for block in range(0, number, 1000):
        random = np.random.default_rng([seed, block])
        sizes = random.poisson(words, 1000).clip(1) if poisson else np.full(1000, words)
        ranks = np.searchsorted(sums, random.random(int(sizes.sum()))).clip(0, VOCABULARY - 1)
        found = iter(names[ranks].tolist())
        for size in sizes[: number - block].tolist():
            yield " ".join(itertools.islice(found, size))


def written(path: Path, number: int, words: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for at, text in enumerate(drawn(1, number, words)):
            file.write(json.dumps({"_id": f"d{at}", "text": text}) + "\n")


def texts(path: Path, first: int = 0, number: int | None = None) -> Iterator[str]:
    with path.open("rb") as file:
        for line in itertools.islice(file, first, None if number is None else first + number):
            yield json.loads(line)["text"]


def own_memory() -> float:
    """MB of memory that is no page of a file."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("RssAnon"))) / 1024


def measured(act: Callable[..., dict[str, Any]], *given: Any) -> Taken:
    """In a process of its own, whose memory is its own."""
    peak, done = [own_memory()], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            peak.append(max(peak.pop(), own_memory()))

    before, watcher = own_memory(), threading.Thread(target=watch)
    watcher.start()
    clock, cpu = time.perf_counter(), time.process_time()
    found = act(*given)
    taken = time.perf_counter() - clock, time.process_time() - cpu
    done.set()
    watcher.join()
    return Taken(*taken, max(*peak, own_memory()) - before, found)


def alone(act: Callable[..., dict[str, Any]], *given: Any) -> Taken:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        return processes.submit(measured, act, *given).result()


def indexed(path: Path, number: int) -> dict[str, Any]:
    from retrieval.engine.corpora.building import build

    folder = path.with_name(f"index-{number}")
    made = build(folder, lambda first: texts(path, first, number - first), number)
    size = sum(file["bytes"] for file in made.files.values())
    return {"disk": size / 1e6, "postings": made.postings, "terms": made.terms}


def searched(path: Path, number: int, topics: list[str], depth: int, again: int = 1) -> dict[str, Any]:
    """Search all topics, `again` times; the first time finds the pages of the index."""
    from retrieval.engine.corpora.index import CorpusIndex
    from retrieval.engine.corpora.searching import Searcher

    clock = time.perf_counter()
    index = CorpusIndex(path.with_name(f"index-{number}"))
    searcher = Searcher(index)
    opened = time.perf_counter() - clock
    queries = [index.tokeniser.query(topic) for topic in topics]
    rounds = []
    for _ in range(again + 1):
        cpu = time.process_time()
        found = [one.numbers.tolist() for one in searcher.search_all(queries, depth)]
        rounds.append(time.process_time() - cpu)
    return {"opened": opened, "first": rounds[0], "seconds": min(rounds[1:]), "found": found}


def fed_back(path: Path, number: int, topics: list[str], depth: int) -> dict[str, Any]:
    """The same by RM3; texts are looked up by where their lines begin."""
    from retrieval.engine.corpora.feedback import FeedbackCorpus, RelevanceFeedback
    from retrieval.engine.corpora.index import CorpusIndex
    from retrieval.engine.corpora.searching import Searcher

    with path.open("rb") as file:
        starts = [0, *itertools.accumulate(map(len, itertools.islice(file, number)))]

    def of(numbers: Any) -> list[str]:
        with path.open("rb") as file:
            found = []
            for each in numbers:
                file.seek(starts[each])
                found.append(json.loads(file.readline())["text"])
            return found

    index = CorpusIndex(path.with_name(f"index-{number}"))
    searcher = Searcher(index)
    feedback = RelevanceFeedback(searcher, [FeedbackCorpus("own", searcher, of)])
    cpu = time.process_time()
    found = [feedback.search(index.tokeniser.query(topic), depth).found.numbers.tolist() for topic in topics]
    return {"seconds": time.process_time() - cpu, "found": found}


def peer(path: Path, number: int, topics: dict[str, list[str]], depth: int) -> dict[str, Any]:
    """Plain bm25s: index, then the topics of each kind."""
    import bm25s

    cpu = time.process_time()
    corpus = list(texts(path, 0, number))
    pattern = r"[^\W_]+"
    tokens = bm25s.tokenize(corpus, stopwords=[], token_pattern=pattern, show_progress=False)
    retriever = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numpy")
    retriever.index(tokens, show_progress=False)
    found = {"index": time.process_time() - cpu}
    for kind, queries in topics.items():
        split = bm25s.tokenize(
            queries, stopwords=[], token_pattern=pattern, show_progress=False, return_ids=False
        )
        rounds = []
        for _ in range(2):
            cpu = time.process_time()
            retriever.retrieve(split, k=depth, show_progress=False, n_threads=0)
            rounds.append(time.process_time() - cpu)
        found[kind] = min(rounds)
    return found


def load() -> str:
    return " ".join(f"{one:.1f}" for one in os.getloadavg())


def line(name: str, seconds: float, each: int, more: str = "") -> None:
    print(f"    {name:<28} {seconds:8.2f} CPU s  {1000 * seconds / each:8.2f} ms each  {more}")


def pooled(*runs: list[list[int]]) -> int:
    """How many pairs of topic and document the union of runs has."""
    return sum(len(set(itertools.chain(*parts))) for parts in zip(*runs, strict=True))


def ours(path: Path, number: int, kinds: dict[str, list[str]], depth: int, *, pool: bool) -> dict[str, float]:
    """Index and search so many documents, and say what it took."""
    made = alone(indexed, path, number)
    told = made.given
    print(f"{number:,} documents, {told['postings']:,} postings, {told['terms']:,} terms (load {load()})")
    print(
        f"    read and indexed in {made.cpu:.1f} CPU s, {made.clock:.1f} s by the clock; own memory at most "
        f"{made.own:,.0f} MB; {told['disk']:,.0f} MB on disk"
    )
    seconds = {"index": made.cpu, "memory": made.own}
    for kind, topics in kinds.items():
        one = alone(searched, path, number, topics, depth)
        seconds[kind] = one.given["seconds"]
        more = (
            f"opened in {1000 * one.given['opened']:.0f} ms, first round {one.given['first']:.2f} s, "
            f"own memory {one.own:,.0f} MB"
        )
        line(f"{len(topics)} topics, {kind}", seconds[kind], len(topics), more)
        if pool:
            two = alone(fed_back, path, number, topics, depth)
            line(f"{len(topics)} topics, {kind}, RM3", two.given["seconds"], len(topics))
            clock = time.perf_counter()
            pairs = pooled(one.given["found"], two.given["found"])
            print(f"    pool of depth {depth} of both: {pairs:,} in {time.perf_counter() - clock:.3f} s")
    return seconds


def compared(path: Path, number: int, kinds: dict[str, list[str]], depth: int, own: dict[str, float]) -> None:
    try:
        theirs = alone(peer, path, number, kinds, depth)
    except ImportError:
        print("    bm25s is not installed: no peer")
        return
    print(f"    bm25s, {number:,} documents (load {load()}):")
    for name in ("index", *kinds):
        value = theirs.given[name]
        print(f"        {name:<12} {value:8.2f} CPU s   ours {own[name] / value:.2f} of it")
    print(
        f"        own memory   {theirs.own:,.0f} MB   ours (to index) {own['memory'] / theirs.own:.2f} of it"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000, help="default: 100000")
    parser.add_argument("--peer", type=int, default=100_000, help="documents for bm25s; 0: none (100000)")
    parser.add_argument("--litsearch", action="store_true", help="64,183 documents and 597 queries instead")
    asked = parser.parse_args()
    number, words, depth = asked.documents, 130, DEPTH
    kinds = {f"{size} words": list(drawn(size, TOPICS, size, poisson=False)) for size in (SHORT, LONG)}
    if asked.litsearch:
        number, words, depth = LITSEARCH["documents"], LITSEARCH["words"], LITSEARCH["depth"]
        size = LITSEARCH["size"]
        kinds = {f"{size} words": list(drawn(size, LITSEARCH["topics"], size, poisson=False))}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        written(path, number, words)
        print(f"{path.stat().st_size / 1e6:,.0f} MB of JSONL")
        seconds = ours(path, number, kinds, depth, pool=not asked.litsearch)
        size = min(asked.peer, number)
        if size:
            if size != number:
                seconds = ours(path, size, kinds, depth, pool=False)
            compared(path, size, kinds, depth, seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What an excerpt takes in time and space until matched negatives are dealt out, by their number.

    python -m benchmarks.matched_size [--excerpts N] [--negatives N ...]

A book of 3,000 sentences is made of invented words, and a job of so many excerpts runs on a new SQLite file.
Printed are, by number of negatives: seconds of the processor and kilobytes stored an excerpt, then seconds
and the most megabytes of Python's objects while the places of all of them are dealt out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import tracemalloc
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from benchmarks import served

if TYPE_CHECKING:
    from retrieval.models import Book, CandidateJob

SENTENCES = 3000
WORDS = 4000


def main() -> None:
    """Run a job for each number of negatives, stopped where all is ranked, and then deal it out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--excerpts", type=int, default=40)
    parser.add_argument("--negatives", type=int, nargs="+", default=[2, 5, 9])
    asked = parser.parse_args()
    with served.folder() as folder:
        served.prepare(folder)
        from retrieval.candidates import submitting
        from retrieval.jobs import queue

        book = _book(asked.excerpts)
        print("| negatives | s an excerpt | kB an excerpt | s to deal | MB to deal |\n|" + " ---: |" * 5)
        for number in asked.negatives:
            job = submitting.submit(book, ranker="bm25", parameters={"negatives": number})
            claimed = queue.claim(job.pk, "benchmark")
            assert claimed is not None
            seconds, kilobytes, dealing, most = _measured(claimed)
            print(f"| {number} | {seconds:.2f} | {kilobytes:.0f} | {dealing:.1f} | {most:.0f} |")


def _measured(job: CandidateJob) -> tuple[float, float, float, float]:
    from retrieval.candidates import matching, pipeline

    deal, begun, found = matching.deal, time.process_time(), []

    def measured(ranked: CandidateJob) -> None:
        found.append((time.process_time() - begun) / ranked.total)
        sizes = [len(json.dumps(each.options)) for each in ranked.matched.iterator(chunk_size=10)]
        found.append(sum(sizes) / len(sizes) / 1000)
        tracemalloc.start()
        dealing = time.process_time()
        deal(ranked)
        found.append(time.process_time() - dealing)
        found.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()

    matching.deal = measured
    try:
        pipeline.run(job)
    finally:
        matching.deal = deal
    seconds, kilobytes, dealt, most = found
    return seconds, kilobytes, dealt, most


def _book(number: int) -> Book:
    """A book with so many excerpts of one source."""
    from retrieval.models import Book, Excerpt, Source

    sentences = list(_sentences(Random(1)))
    text, bounds = "", []
    for each in sentences:
        bounds.append([len(text), len(text) + len(each)])
        text += each + " "
    digest = hashlib.sha256(text.encode()).hexdigest()
    book = Book.objects.create(
        slug="invented", title="Invented", text=text, sha256=digest, sentences=bounds, n_sentences=len(bounds)
    )
    source = Source.objects.create(slug="critic", citation="Critic", text="An essay.", sha256=digest)
    for at in range(number):
        first = 5 + at * 13 % (SENTENCES - 10)
        around = {"left": sentences[first - 4 : first], "right": sentences[first + 1 : first + 5]}
        Excerpt.objects.create(source=source, book=book, first=first, size=1, digest=f"{at:064}", **around)
    return book


def _sentences(draw: Random) -> Iterator[str]:
    for _ in range(SENTENCES):
        length = max(3, int(draw.lognormvariate(2.8, 0.6)))
        said = " ".join(f"w{min(WORDS, int(draw.expovariate(1 / 300)))}" for _ in range(length))
        said = said.capitalize() if draw.random() < 0.8 else said
        yield f"“{said}.”" if draw.random() < 0.25 else f"{said}."


if __name__ == "__main__":
    main()

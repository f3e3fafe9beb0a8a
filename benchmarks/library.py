"""A library of RELiC's size: a tenth of it generated and measured, the whole computed.

    python -m benchmarks.library [--books 8] [--excerpts 7800] [--pool 50]

RELiC has 79 books of 4,888 passages on average and 78,000 excerpts. A tenth of that is written from a seed:
words by Zipf's law with the commonest of English at their head, sentences of some 20 words (log-normal), and
quotations of one to five sentences between four sentences of criticism on either side, which share some words
with them. It goes through the doors that real data take: `import_relic` of one file, a job for each book,
worked on by two processes at once, on a new SQLite file. Nothing is downloaded and nothing is read but this
program.

CPU seconds are told beside those of the clock, since a shared machine stretches only the latter. The whole is
computed for 80 books: jobs take a book at a time, so their memory stays; the import reads the file whole, so
what each further book needs, told by an import of one book and one of all, is added for every book.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import NamedTuple

SENTENCES = 4888
VOCABULARY = 14_000
QUOTED = (45, 25, 15, 9, 6)
"""Percent of quotations with one to five sentences."""
SIDE = 4
SHARED = 0.15
"""Chance of a word of the critic's to be one of the passage's."""
WHOLE = 80
"""Books of the whole library, with as many excerpts each as the part's."""
WORKERS = 2
FILE = "library.json"
COMMON = """
    the of and to a in that was he it his her i with as had she for you not at on is be but have him
    by my which so all from they said this were no me would what when there if one or an been them
    could their who do very we are will more your did than up into some now out our little then only
    know never such must before time good over how about should much any other after upon well see
    first two man where made can himself day think down house long come great might own old way too
    here came young thought again
"""
SYLLABLES = "ba con der el fin gra ing lo mer nes ti ous pre ward"


class Taken(NamedTuple):
    """What a process took: seconds by the clock, CPU seconds, peak MiB."""

    clock: float
    cpu: float
    peak: float


class Writer:
    """Sentences from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        invented = Random(0)
        parts = SYLLABLES.split()
        words = dict.fromkeys(COMMON.split())
        while len(words) < VOCABULARY:
            words["".join(invented.choices(parts, k=invented.randint(2, 4)))] = None
        self.words = list(words)
        self.weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def sentence(self, shared: list[str] | None = None) -> str:
        length = max(2, min(120, round(math.exp(self.random.gauss(2.75, 0.7)))))
        words = self.random.choices(self.words, cum_weights=self.weights, k=length)
        if shared:
            words = [self.random.choice(shared) if self.random.random() < SHARED else word for word in words]
        return " ".join(words).capitalize() + self.random.choice(".....!?;")

    def book(self, excerpts: int) -> dict[str, object]:
        """A book of RELiC's file."""
        sentences = [self.sentence() for _ in range(SENTENCES)]
        quotes = {}
        for number in range(excerpts):
            (size,) = self.random.choices(range(1, 6), weights=QUOTED)
            first = self.random.randrange(SENTENCES - size + 1)
            shared = " ".join(sentences[first : first + size]).lower().rstrip(".!?;").split()
            left, right = ([self.sentence(shared) for _ in range(SIDE)] for _ in range(2))
            quotes[f"{number}"] = [left, first, size, right]
        candidates = {f"{size}_sentence": list(range(SENTENCES - size + 1)) for size in range(1, 6)}
        return {"sentences": sentences, "quotes": quotes, "candidates": candidates}


def written(folder: Path, books: int, excerpts: int) -> float:
    """A file of all books, and beside it a folder with one of the first; MiB of the former."""
    each = excerpts // books
    library = {f"Generated book {number}": Writer(number).book(each) for number in range(1, books + 1)}
    first = next(iter(library))
    (folder / "one").mkdir()
    (folder / "one" / FILE).write_text(json.dumps({first: library[first]}), encoding="utf-8")
    (folder / FILE).write_text(json.dumps(library), encoding="utf-8")
    return (folder / FILE).stat().st_size / 2**20


def set_up(data: str) -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "variorum.settings", "VARIORUM_DATA_DIR": data}
    for name in ("VARIORUM_DATABASE_URL", "VARIORUM_REDIS_URL"):
        os.environ.pop(name, None)
    import logging

    import django

    django.setup()
    logging.disable(logging.INFO)


def migrated(data: str) -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def imported(data: str) -> None:
    from retrieval.loading import import_relic

    import_relic((Path(data) / FILE).read_bytes(), name=FILE)


def submitted(data: str, pool: int | None) -> None:
    from retrieval.candidates import submitting
    from retrieval.models import Book

    for book in Book.objects.order_by("pk"):
        submitting.submit(book, ranker="bm25", parameters={"pool": pool})


def worked(data: str) -> None:
    """Claim and run what waits, as a worker does, until nothing does."""
    from retrieval.candidates import pipeline
    from retrieval.jobs import queue as jobs

    name = f"benchmark-{os.getpid()}"
    while waiting := jobs.claimable(["cpu"]):
        for pk in waiting:
            pipeline.attempt(pk, name)


def reported(data: str) -> None:
    """The numbers of one book, as its page computes them."""
    from evaluation.ranking.report import rank_report
    from retrieval.models import CandidateJob

    rank_report(CandidateJob.objects.order_by("pk")[0])


def measured(act: Callable[..., None], data: str, *more: object) -> Taken:
    """In a process of its own, whose memory is its own."""
    set_up(data)
    clock, cpu = time.perf_counter(), time.process_time()
    act(data, *more)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Taken(time.perf_counter() - clock, time.process_time() - cpu, most)


def alone(act: Callable[..., None], data: str, *more: object, times: int = 1) -> list[Taken]:
    """The same act in `times` new processes at once."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(times) as pool:
        return pool.starmap(measured, [(act, data, *more)] * times, chunksize=1)


def counted(data: str) -> dict[str, int]:
    set_up(data)
    from retrieval.models import Book, Candidate, CandidateJob, Excerpt

    done = CandidateJob.objects.filter(status="done").count()
    models = {"books": Book, "excerpts": Excerpt, "candidates": Candidate}
    return {**{name: model.objects.count() for name, model in models.items()}, "jobs done": done}


def line(name: str, taken: list[Taken]) -> str:
    clock, cpu, most = max(t.clock for t in taken), sum(t.cpu for t in taken), max(t.peak for t in taken)
    return f"{name:<26} {clock:7.1f} s by the clock   {cpu:7.1f} CPU s   peak {most:5,.0f} MiB a process"


def told(books: int, one: Taken, importing: Taken, working: list[Taken], database: float) -> None:
    """The whole, computed from the part."""
    cpu = one.cpu + (importing.cpu - one.cpu) / (books - 1) * (WHOLE - 1)
    memory = one.peak + (importing.peak - one.peak) / (books - 1) * (WHOLE - 1)
    jobs = sum(taken.cpu for taken in working) / books * WHOLE / WORKERS
    most = max(taken.peak for taken in working)
    print(f"{WHOLE} books, computed:")
    print(f"    import   {cpu / 60:6.1f} min on one core    peak {memory:,.0f} MiB")
    print(f"    jobs     {jobs / 60:6.1f} min on {WORKERS} cores      peak {most:,.0f} MiB a worker")
    print(f"    database {database / books * WHOLE:,.0f} MiB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--books", type=int, default=8, help="2 or more (default: 8)")
    parser.add_argument("--excerpts", type=int, default=7800, help="of all books (default: 7800)")
    parser.add_argument("--pool", type=int, help="make pools of this size instead of two negatives")
    asked = parser.parse_args()
    if asked.books < 2:
        parser.error("--books must be 2 or more")
    with tempfile.TemporaryDirectory() as data:
        size, one_book = written(Path(data), asked.books, asked.excerpts), f"{data}/one"
        print(f"{asked.books} books of {SENTENCES:,} sentences in a file of {size:,.0f} MiB")
        for folder in (data, one_book):
            alone(migrated, folder)
        (one,) = alone(imported, one_book)
        (importing,) = alone(imported, data)
        print(line("import of one book", [one]))
        print(line("import of all", [importing]))
        alone(submitted, data, asked.pool)
        working = alone(worked, data, times=WORKERS)
        print(line(f"jobs, {WORKERS} workers", working))
        print(line("report of one job", alone(reported, data)))
        database = sum(each.stat().st_size for each in Path(data).glob("*.sqlite3*")) / 2**20
        found = counted(data)
        print("   ".join(f"{name} {number:,}" for name, number in found.items()), end="")
        print(f"   database {database:,.0f} MiB")
        told(asked.books, one, importing, working, database)
    return 0 if found["jobs done"] == asked.books else 1


if __name__ == "__main__":
    sys.exit(main())

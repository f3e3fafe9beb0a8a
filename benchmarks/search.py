"""Evidence search on a novel: the first search of a book, later ones, and eight people at once.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.search [--rounds 100]

The whole path of a page is timed: the book read from the database (a new SQLite file), the index found or
prepared, the claim scored, twenty passages cut from the text. Claims are sentences of the critics. Bars: a
warm search below 0.1 s for 95 of 100 claims, a cold one below 3 s. Exit status 1: a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WARM, COLD = 0.1, 3.0
SIZES = (1, 3, 5)
PEOPLE = 8


def claims(folder: Path, number: int) -> list[str]:
    """Sentences of the critics of ten words or more, evenly spread."""
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted((folder / "criticism").glob("*.txt")))
    sentences = [
        one for one in re.split(r"(?<=[.!?])\s+", text) if 10 <= len(one.split()) <= 60 and " the " in one
    ]
    return sentences[:: max(1, len(sentences) // number)][:number]


def set_up(folder: Path, data: str) -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "variorum.settings", "VARIORUM_DATA_DIR": data}
    import django

    django.setup()
    from django.core.management import call_command

    from retrieval.loading import import_book

    call_command("migrate", verbosity=0)
    path = folder / "novels" / "pride_and_prejudice.txt"
    facts = {"title": "Pride and Prejudice", "author": "Jane Austen", "year": 1813}
    import_book(path.read_bytes(), name=path.name, slug="pride", **facts)


def timed(claim: str, size: int) -> float:
    """Seconds of one search, the row included."""
    from retrieval.models import Book
    from retrieval.search.evidence import search

    start = time.perf_counter()
    hits = search(Book.objects.get(slug="pride"), claim, size=size)
    taken = time.perf_counter() - start
    assert hits
    return taken


def measured(size: int, some: list[str]) -> list[str]:
    """Print one size's times; the bars that are missed."""
    from django.db import connection

    from retrieval.models import Book
    from retrieval.search.evidence import search
    from retrieval.search.patience import index_cache

    index_cache.clear()
    cold = timed(some[0], size)
    warm = sorted(timed(claim, size) for claim in some)
    p95 = warm[int(0.95 * (len(warm) - 1))]
    book = Book.objects.get(slug="pride")
    start = time.perf_counter()
    with ThreadPoolExecutor(PEOPLE) as people:
        list(people.map(lambda claim: search(book, claim, size=size), some))
    crowd = len(some) / (time.perf_counter() - start)
    connection.close()
    print(
        f"size {size}: cold {cold:.3f} s   warm median {1000 * statistics.median(warm):.1f} ms, "
        f"95 % {1000 * p95:.1f} ms   {PEOPLE} threads {crowd:,.0f} searches/s   "
        f"index {index_cache.nbytes / 2**20:.1f} MiB"
    )
    missed = [f"size {size}: cold {cold:.2f} s, bar {COLD}"] if cold > COLD else []
    return missed + ([f"size {size}: warm {p95:.3f} s, bar {WARM}"] if p95 > WARM else [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100, help="claims a size")
    rounds = parser.parse_args().rounds
    if not os.environ.get("VARIORUM_TEST_DATA"):
        print("VARIORUM_TEST_DATA is not set; it must name the folder of novels/ and criticism/.")
        return 2
    folder = Path(os.environ["VARIORUM_TEST_DATA"])
    with tempfile.TemporaryDirectory() as data:
        set_up(folder, data)
        some = claims(folder, rounds)
        missed = [line for size in SIZES for line in measured(size, some)]
    print("\n".join(["Bars missed:", *missed]) if missed else "Every bar is met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

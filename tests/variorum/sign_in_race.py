"""Many who guess one password at once: `python -m tests.variorum.sign_in_race`, for a test of the limit.

Prints how many tries were let through. The processes are parted from one that has
loaded everything, so that they begin together.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import django

PROCESSES, THREADS, TRIES = 2, 4, 4


def main() -> None:
    django.setup()
    with get_context("fork").Pool(PROCESSES) as processes:
        sys.stdout.write(str(sum(processes.map(guesses, range(PROCESSES), chunksize=1))))


def guesses(process: int) -> int:
    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(lambda thread: guess(process * THREADS + thread), range(THREADS)))


def guess(who: int) -> int:
    """Every one from an address of their own."""
    from django.db import connection
    from django.utils import timezone

    from variorum.accounts import throttle

    through = 0
    for _ in range(TRIES):
        try:
            throttle.begin("ada", f"10.0.0.{who}", timezone.now())
        except throttle.TooMany:
            continue
        through += 1
    connection.close()
    return through


if __name__ == "__main__":
    main()

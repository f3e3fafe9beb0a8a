"""Many who press the button of one sign-in link at once: `python -m tests.variorum.link_race CODE`.

Prints how many used it up. Each has looked at the link before, and found it open.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import django

PROCESSES, THREADS = 2, 4
found = get_context("fork").Barrier(PROCESSES * THREADS)


def main() -> None:
    django.setup()
    with get_context("fork").Pool(PROCESSES) as processes:
        sys.stdout.write(str(sum(processes.map(presses, [sys.argv[1]] * PROCESSES, chunksize=1))))


def presses(code: str) -> int:
    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(press, [code] * THREADS))


def press(code: str) -> bool:
    from django.db import connection
    from django.utils import timezone

    from variorum.accounts import links
    from variorum.models import LinkKind

    link = links.find(code, LinkKind.SIGN_IN)
    assert link is not None
    found.wait()
    used = links.use(link, f"{id(link)}", timezone.now())
    connection.close()
    return used


if __name__ == "__main__":
    main()

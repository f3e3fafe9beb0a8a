"""Threads for requests, of which the one that worked last works next.

Each thread has a connection of its own to the database, and PostgreSQL a process for each. Python's pool
gives work to the thread that has waited longest: eight take turns where two would do, and so do PostgreSQL's
processes, and each finds the caches full of what the others need.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class LastFirst:
    """A queue that gives what came first to the thread that began to wait last."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._items: deque[Any] = deque()
        self._waiting: list[threading.Lock] = []

    def put(self, item: Any) -> None:
        with self._mutex:
            self._items.append(item)
            if self._waiting:
                self._waiting.pop().release()

    def get(self, block: bool = True) -> Any:
        """Return what came first. Raises `queue.Empty` where there is nothing and it is not to wait."""
        woken = threading.Lock()
        while True:
            with self._mutex:
                if self._items:
                    return self._items.popleft()
                if not block:
                    raise queue.Empty
                woken.acquire()
                self._waiting.append(woken)
            with woken:
                # Another may have been quicker: then it waits again.
                pass

    def get_nowait(self) -> Any:
        return self.get(block=False)


class LastFirstThreads(ThreadPoolExecutor):
    """Python's pool of threads with that queue."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        # It has no argument for it. The pool asks no more of its queue than is above (Python 3.11 to 3.14).
        self._work_queue = LastFirst()  # type: ignore[assignment]

"""Keep indices in this process's memory, so that the next search need not count the book again.

Bounded by bytes, the longest unused goes first. Threads that ask for the same index while it is being made
wait for the one that makes it.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np

from retrieval.engine.ranking.rankers import Index
from retrieval.engine.words.tables import LemmaTable, StopList, SynonymTable
from retrieval.engine.words.vectors import WordVectors

LIMIT = 128 * 2**20
"""Bytes: some twenty novels at one passage length, or War and Peace at three."""


SHARED = WordVectors | LemmaTable | SynonymTable | StopList
"""What all indices of a process hold together, and what stays when they go."""


class IndexCache:
    """Least-recently-used indices of at most `limit` bytes; a larger one is made each time."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._lock = Lock()
        self._making: dict[Hashable, Future[Index]] = {}
        self._kept: OrderedDict[Hashable, tuple[Index, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Index]) -> Index:
        """Return the index of that key; `make` makes it when it is not here, and may raise."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            waited = self._making.get(key)
            mine: Future[Index] = Future()
            if waited is None:
                self._making[key] = mine
        if waited is not None:
            return waited.result()
        try:
            index = make()
            size = deep_bytes(index)
        except BaseException as error:
            with self._lock:
                del self._making[key]
            mine.set_exception(error)
            raise
        with self._lock:
            self._keep(key, index, size)
            del self._making[key]
        mine.set_result(index)
        return index

    def clear(self) -> None:
        """Drop all indices."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all kept indices."""
        with self._lock:
            return sum(size for _, size in self._kept.values())

    def _keep(self, key: Hashable, index: Index, size: int) -> None:
        if size > self.limit:
            return
        self._kept[key] = (index, size)
        while sum(each for _, each in self._kept.values()) > self.limit:
            self._kept.popitem(last=False)


def deep_bytes(value: object) -> int:
    """Return the bytes of an object and all it holds, each counted once; arrays count their buffers.

    What is `SHARED` between indices is not counted.
    """
    seen: set[int] = set()
    waiting: list[Any] = [value]
    total = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | SHARED):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        if isinstance(one, np.ndarray):
            # An array that owns its buffer has told so; a view holds its base.
            waiting += [] if one.base is None else [one.base]
        elif isinstance(one, Mapping):
            waiting += chain(one.keys(), one.values())
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif not isinstance(one, str | bytes | int | float):
            waiting += [vars(one)] if hasattr(one, "__dict__") else []
    return total

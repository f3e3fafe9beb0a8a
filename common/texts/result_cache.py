"""What was found in texts as they are, kept in this process's memory until they are others.

A page that is shown again need not check a whole study again. What was found is known by a digest
of all that went into it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sized
from hashlib import blake2b
from threading import Lock
from typing import TypeVar, cast

T = TypeVar("T", bound=Sized)
MOST_KEPT = 100_000
"""Findings and runs that are kept of all studies together."""


class ResultCache:
    """Lists of findings by their key; the longest unused go first."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, Sized] = OrderedDict()

    def get(self, key: str, make: Callable[[], T]) -> T:
        """Return what is kept under the key; `make` makes it where nothing is."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("T", self._kept[key])
        made = make()
        with self._lock:
            self._kept[key] = made
            while sum(map(len, self._kept.values())) > self.most:
                self._kept.popitem(last=False)
        return made


def digest_of(parts: Iterable[object]) -> str:
    """Return a digest of texts, numbers and tuples of them, in their order."""
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(repr(part).encode("utf-8", "backslashreplace") + b"\n")
    return found.hexdigest()


results = ResultCache()
"""Of this process."""

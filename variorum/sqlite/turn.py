"""A turn at writing: a lock on a file, waited for no longer than somebody is told to wait."""

from __future__ import annotations

import fcntl
import os
import threading


class Turn:
    """The lock of one connection; whoever waits is woken by the operating system as soon as it is free."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = self._opened()

    def _opened(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)

    def take(self, seconds: float) -> bool:
        """Wait for the turn that long at most; return whether it is ours."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return self._wait(seconds)

    def _wait(self, seconds: float) -> bool:
        waiting = _Waiting(self.file)
        taken = False
        try:
            taken = waiting.until(seconds)
        finally:
            if not taken:
                # The file stays with who waits on, since a lock belongs to the file as it was opened.
                self.file = self._opened()
                waiting.leave()
        return taken

    def give_back(self) -> None:
        """Let the next one write."""
        fcntl.flock(self.file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the turn back, and never take it again."""
        os.close(self.file)


class _Waiting(threading.Thread):
    """Waits for a lock in our place: the operating system knows no end of such a wait but the lock."""

    def __init__(self, file: int) -> None:
        super().__init__(name="turn", daemon=True)
        self.file = file
        self.taken = threading.Event()
        self.left = False
        self.guard = threading.Lock()

    def until(self, seconds: float) -> bool:
        """Wait that long at most; return whether the lock is taken."""
        self.start()
        return self.taken.wait(seconds)

    def run(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_EX)
        with self.guard:
            self.taken.set()
            if self.left:
                os.close(self.file)

    def leave(self) -> None:
        """Wait no longer: the lock is given back, now or when it comes."""
        with self.guard:
            self.left = True
            if self.taken.is_set():
                os.close(self.file)

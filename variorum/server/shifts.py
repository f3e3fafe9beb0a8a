"""Shifts of web processes: where they are more than cores, as many begin requests at once as there are cores.

A process that has its shift begins one request after the other, for some forty milliseconds; then comes the
next. If each began a request whenever one is there, eight processes on two cores would change places at every
answer of the database, and each would find the caches full of what the others need. A request that has begun
is finished at once, whatever the shifts do, and one that takes long counts for none.

The kernel keeps the shifts and their order: they are locks on bytes of a file in memory, and a process that
is killed lets go of its own. Before each stands a gate, a lock as well. Who waits for a shift holds its gate
meanwhile; so a process that has had its shift, and has more to do, cannot take it again from the one that was
woken for it and has yet to run. Where something keeps a shift for long, nobody waits for it longer than
a second.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from functools import cache

SHIFT_SECONDS = 0.04
PATIENCE_SECONDS = 1.0


@cache
def shared_file() -> int | None:
    """Return the file of the locks: one for all processes that are forked after the first call.

    None where the system makes none, or allows none.
    """
    try:
        return os.memfd_create("variorum-shifts")
    except (AttributeError, OSError):
        return None


def cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Roster:
    """The shifts of all processes, `number` of them at once. A process holds one at most, and waits for none
    meanwhile.

    Nothing else in these processes may wait for a lock of this kind (`F_SETLKW`): the kernel counts processes
    and not threads, and would see a deadlock where one waits for another thread of its own.
    """

    def __init__(self, file: int, number: int) -> None:
        self.file, self.number = file, number

    def take_free(self, preferred: int) -> int | None:
        """Take a shift that nobody has and nobody waits for, if there is one, and return which."""
        for each in range(preferred, preferred + self.number):
            gate, shift = _bytes(each % self.number)
            if self._lock(gate, at_once=True):
                taken = self._lock(shift, at_once=True)
                self._unlock(gate)
                if taken:
                    return each % self.number
        return None

    def wait_for(self, which: int) -> None:
        """Take this shift as soon as all who had it or waited before have done with it. For a thread."""
        gate, shift = _bytes(which)
        self._lock(gate)
        try:
            self._lock(shift)
        finally:
            self._unlock(gate)

    def is_waited_for(self, which: int) -> bool:
        """Return whether another process waits for this shift."""
        gate, _ = _bytes(which)
        if not self._lock(gate, at_once=True):
            return True
        self._unlock(gate)
        return False

    def give_back(self, which: int) -> None:
        """Let whoever waits first have this shift."""
        self._unlock(_bytes(which)[1])

    def _lock(self, byte: int, at_once: bool = False) -> bool:
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | (fcntl.LOCK_NB if at_once else 0), 1, byte)
        except OSError:
            if not at_once:
                raise
            return False
        return True

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self.file, fcntl.LOCK_UN, 1, byte)


def _bytes(which: int) -> tuple[int, int]:
    """Return the bytes of a shift's gate and of the shift."""
    return 2 * which, 2 * which + 1


class Shift:
    """What one process knows of its shift. All of it runs in its loop, but for the thread that waits.

    `number` is one of consecutive numbers of the processes, of which there are `processes`. That thread calls
    `come` with the shift it has got, None where that failed, and the loop is to call `begin` with it.
    """

    def __init__(self, number: int, processes: int, come: Callable[[int | None], None]) -> None:
        self._come = come
        file = shared_file() if processes > cores() else None
        self._roster = None if file is None else Roster(file, cores())
        self._next = number % cores()
        self._held: int | None = None
        self._waits = False
        self._since = 0.0

    @property
    def is_needed(self) -> bool:
        """Return whether there are more processes than cores, on a system that can keep shifts."""
        return self._roster is not None

    @property
    def is_on(self) -> bool:
        return self._held is not None

    @property
    def is_over(self) -> bool:
        """Return whether this process has its shift, and has had it for long enough if others wait for it."""
        return self.is_on and time.monotonic() >= self._since + SHIFT_SECONDS

    def may_begin(self) -> bool:
        """Return whether a request may begin now; where not, see that it may before `wait` is up."""
        if self._roster is None:
            return True
        if self._held is not None:
            if self.is_over and not self._roster.is_waited_for(self._held):
                self._since = time.monotonic()
            return not self.is_over
        if not self._waits:
            self._held, self._since = self._roster.take_free(self._next), time.monotonic()
            self._waits = not self.is_on and self._starts_waiting(self._roster)
        return self.is_on or self.wait() <= 0

    def wait(self) -> float:
        """Return in how many seconds a request may begin though no shift has come: 0 for now."""
        return max(0.0, self._since + PATIENCE_SECONDS - time.monotonic()) if self._waits else 0.0

    def begin(self, shift: int | None) -> None:
        """Take over what the thread has waited for. Where it failed there are no shifts from now on."""
        self._waits = False
        self._held, self._since = shift, time.monotonic()
        if shift is None:
            self._roster = None
        elif self._roster is not None:
            # Else who waits for one shift with two others would have fewer than who waits with one.
            self._next = (shift + 1) % self._roster.number

    def give_back(self) -> None:
        """End the shift, if it is this process's."""
        if self._roster is not None and self._held is not None:
            self._roster.give_back(self._held)
        self._held = None

    def _starts_waiting(self, roster: Roster) -> bool:
        """Start the thread. Where none can be started the request begins without a shift."""
        try:
            threading.Thread(
                target=self._wait_in_thread, name="waits-for-shift", args=(roster,), daemon=True
            ).start()
        except RuntimeError:
            return False
        return True

    def _wait_in_thread(self, roster: Roster) -> None:
        came: int | None = None
        try:
            roster.wait_for(self._next)
            came = self._next
        finally:
            self._come(came)

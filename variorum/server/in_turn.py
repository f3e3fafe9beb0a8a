"""Gunicorn's worker with threads, of which two begin at once: the others wait in the order they arrived.

Python computes in one thread of a process at a time. Eight that all want to compute hand that right around in
slices of five milliseconds: each page is ready later than if it had been alone, and whoever writes to the
database keeps its lock for as long as all the others compute. So while one request waits for the database
another computes, and no third begins.

A request that takes long, as an export does, counts for a short time only: it holds a thread, of which there
are more, and nobody up.

Where there are more processes than cores, processes begin in turn as well: `variorum.server.shifts`.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from variorum.server.shifts import Shift
from variorum.server.threads import LastFirstThreads

AT_ONCE = 2
COUNTS_SECONDS = 0.05
"""Several times what a step of a reader takes. Where the database is far away or slow more than two begin."""


class InTurnWorker(ThreadWorker):  # type: ignore[misc]
    """A worker that gives requests to its threads in turn (see the module). All of it runs in the loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._line: deque[TConn] = deque()
        self._begun: dict[TConn, float] = {}
        self._shift = Shift(self.age, self.cfg.workers, self._when_shift_has_come)

    def get_thread_pool(self) -> LastFirstThreads:
        """Return the threads. Gunicorn asks by this name, in the process that is to have them."""
        return LastFirstThreads(self.cfg.threads)

    @property
    def at_work(self) -> int:
        """Return how many requests are with the threads or wait for one."""
        return len(self._line) + len(self._begun)

    @property
    def waits_enough(self) -> bool:
        """Return whether as many wait already as may begin at once, where processes have shifts."""
        return self._shift.is_needed and len(self._line) >= AT_ONCE

    def enqueue_req(self, conn: TConn) -> None:
        """Give a request that has arrived to the threads when its turn comes."""
        self._line.append(conn)
        self._begin_due()

    def end_turn(self, conn: TConn) -> None:
        """Let the next begin: this one is finished."""
        self.leave_line(conn)
        self._begin_due()

    def leave_line(self, conn: TConn) -> None:
        """Count this one no more, whether it waits or has begun."""
        self._begun.pop(conn, None)
        if conn in self._line:
            self._line.remove(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Do what gunicorn does, but wake up when the next may begin because another has taken long."""
        super().wait_for_and_dispatch_events(min(timeout, self._seconds_to_next()))
        self._begin_due()

    def _when_shift_has_come(self, shift: int | None) -> None:
        """Tell the loop; this is the thread that has waited for it."""
        self.method_queue.defer(self._begin_shift, shift)

    def _begin_shift(self, shift: int | None) -> None:
        self._shift.begin(shift)
        self._begin_due()

    def _begin_due(self) -> None:
        if (self._shift.is_over or not self._line) and not self._seconds_at_work():
            self._shift.give_back()
        while self._line and self._has_room() and self._shift.may_begin():
            conn = self._line.popleft()
            self._begun[conn] = time.monotonic()
            try:
                super().enqueue_req(conn)
            except Exception:
                self.log.exception("No thread could be given to a request, which was given up.")
                self.abandon(conn)

    def _has_room(self) -> bool:
        return self._seconds_to_room() <= 0

    def _seconds_to_next(self) -> float:
        """Return in how many seconds another request may begin or the shift ends; infinity for neither."""
        if self._shift.is_on and (self._shift.is_over or not self._line):
            return self._seconds_at_work()
        if not self._line:
            return float("inf")
        return self._seconds_to_room() or self._shift.wait()

    def _seconds_to_room(self) -> float:
        """Return in how many seconds fewer than may run at once count: 0 for now."""
        if len(self._begun) < AT_ONCE:
            return 0.0
        # Of those that began last, as many as may run at once: the first of them to have run long.
        return self._seconds_counted(sorted(self._begun.values())[-AT_ONCE])

    def _seconds_at_work(self) -> float:
        """Return in how many seconds none that has begun counts any more: 0 for now."""
        return self._seconds_counted(max(self._begun.values())) if self._begun else 0.0

    def _seconds_counted(self, since: float) -> float:
        return max(0.0, since + COUNTS_SECONDS - time.monotonic())

    def abandon(self, conn: TConn) -> None:
        """Close a connection, whatever its state."""
        raise NotImplementedError

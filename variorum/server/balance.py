"""Gunicorn's worker with threads, but one process of several takes no more than it has threads for.

A connection that is kept open stays with the process that accepted it, and which one that was is chance: of
fifty readers thirty-two may be with one process and eighteen with the other, who then read nearly twice as
fast. So while a process is crowded it closes each connection with its reply, and while all its threads have
work it accepts none. Who comes next waits in the kernel's queue, which is one for all processes and keeps the
order of arrival, and goes to the first process that has a thread. Where processes have shifts
(`variorum.server.shifts`) one in which two wait already accepts none, either: it would not begin more before
its next shift, while a process that has its shift goes on with whoever comes; and each connection would wake
every process, of which only one can have it.

A process that is told to stop takes over what waits there: with the last one the queue would be gone, and
whoever waits in it cut off.
"""

from __future__ import annotations

import select
from typing import Any

from gunicorn.workers.gthread import TConn

from variorum.server.in_turn import InTurnWorker

CROWD = 3
"""Requests at work in one process from which on its connections are closed: readers who pause to think meet
so many by chance only, and keep theirs."""


class BalancedWorker(InTurnWorker):
    """A worker that knows how many requests its threads have, waiting ones included."""

    sockets: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._most_kept = 0
        super().__init__(*args, **kwargs)

    @property
    def is_one_of_several(self) -> bool:
        """Return whether other processes accept from the same queue."""
        return bool(self.cfg.workers > 1)

    @property
    def max_keepalived(self) -> int:
        """Return how many connections may be kept open now. Gunicorn asks by this name before each reply."""
        return 0 if self.is_one_of_several and self.at_work >= CROWD else self._most_kept

    @max_keepalived.setter
    def max_keepalived(self, most: int) -> None:
        self._most_kept = most

    def set_accept_enabled(self, enabled: bool) -> None:
        """Do what gunicorn does, but leave new connections to the others while no thread is free."""
        super().set_accept_enabled(enabled and not self._is_full())
        if not self.alive:
            self._leave_queue()

    def _leave_queue(self) -> None:
        """Accept whoever waits, then nobody."""
        listeners, self.sockets = self.sockets, []
        for listener in listeners:
            listener.setblocking(False)
            waiting = select.poll()
            waiting.register(listener, select.POLLIN)
            before = -1
            # As long as each try brings one: there may be no room for another.
            while before < self.nr_conns < self.worker_connections and waiting.poll(0):
                before = self.nr_conns
                self.accept(listener)
            listener.close()

    def _is_full(self) -> bool:
        return self.is_one_of_several and (self.at_work >= self.cfg.threads or self.waits_enough)

    def enqueue_req(self, conn: TConn) -> None:
        """Give a request that has arrived to the threads."""
        super().enqueue_req(conn)
        if self._is_full():
            self.set_accept_enabled(False)

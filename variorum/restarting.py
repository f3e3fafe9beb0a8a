"""A child that is started again whenever it ends, after pauses that double while it cannot live."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
SETTLED_SECONDS = 300.0
"""Who lived that long begins again with the first pause."""

Process = subprocess.Popen[Any]


class Restarted:
    """The child, or the pause before the next one.

    Args:
        start: Starts a child.
        ended: Told of a child that ended, and of the pause in seconds before the next.
        settled: Told that a child which was started again has lived long enough.
        now: Seconds of a monotonic clock.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        *,
        ended: Callable[[Process, float], None],
        settled: Callable[[], None],
        now: float,
    ) -> None:
        self._start, self._ended, self._settled = start, ended, settled
        self._pause, self._again = FIRST_SECONDS, 0.0
        self._since, self._living = now, True
        self.process = start()

    def look(self, now: float) -> None:
        """Whatever is due at `now`: to see that it ended, to start another, to trust it again."""
        if not self._living:
            if now >= self._again:
                self.process, self._since, self._living = self._start(), now, True
        elif self.process.poll() is not None:
            self._settle(now)
            self._living, self._again = False, now + self._pause
            self._ended(self.process, self._pause)
            self._pause = min(2 * self._pause, LONGEST_SECONDS)
        else:
            self._settle(now)

    def _settle(self, now: float) -> None:
        if self._pause > FIRST_SECONDS and now - self._since >= SETTLED_SECONDS:
            self._pause = FIRST_SECONDS
            self._settled()

"""Start a child again whenever it ends, after pauses that double while it keeps ending."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

FIRST_SECONDS, LONGEST_SECONDS = 1.0, 60.0
SETTLED_SECONDS = 300.0
"""Who lived that long begins again with the first pause."""

Process = subprocess.Popen[Any]


class RestartedChild:
    """The child, or the pause before the next one.

    Args:
        start: Starts a child. Where it raises `OSError`, that counts as a child that ended.
        ended: Told of a child that ended, or why none was started, and of the pause before the next.
        settled: Told that a child which was started again has lived long enough.
        now: Seconds of a monotonic clock.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        *,
        ended: Callable[[Process | OSError, float], None],
        settled: Callable[[], None],
        now: float,
    ) -> None:
        self._start, self._ended, self._settled = start, ended, settled
        self._pause, self._again = FIRST_SECONDS, 0.0
        self._since, self._living = now, False
        self.process: Process | None = None
        self._begin(now)

    def look(self, now: float) -> None:
        """Do what is due at `now`: notice an end, start another child, trust one that runs again."""
        if not self._living:
            if now >= self._again:
                self._begin(now)
        elif self.process and self.process.poll() is not None:
            self._settle(now)
            self._wait(self.process, now)
        else:
            self._settle(now)

    def _begin(self, now: float) -> None:
        try:
            self.process = self._start()
        except OSError as error:
            self._wait(error, now)
        else:
            self._since, self._living = now, True

    def _wait(self, ended: Process | OSError, now: float) -> None:
        self._living, self._again = False, now + self._pause
        self._ended(ended, self._pause)
        self._pause = min(2 * self._pause, LONGEST_SECONDS)

    def _settle(self, now: float) -> None:
        if self._pause > FIRST_SECONDS and now - self._since >= SETTLED_SECONDS:
            self._pause = FIRST_SECONDS
            self._settled()

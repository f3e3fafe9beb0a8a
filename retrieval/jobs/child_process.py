"""Work in a process of its own, which can be ended whatever it does.

A function that never returns, a regular expression that has lost its way for one, cannot be stopped from
within its process: it holds the interpreter. So the worker keeps the lease, the clock and the database, and a
child, which has none of them, computes.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from common.errors import BadInput

if TYPE_CHECKING:  # the child imports this module, and never Django
    from common.progress import Progress

Result = TypeVar("Result")

POLL = 0.2
"""Seconds between two looks at the clock, and at the least between two words of a child's progress."""
_CHILD = "import sys; from retrieval.jobs.child_process import serve; serve(*map(int, sys.argv[1:]))"
_DEATH_OF_THE_PARENT = 1  # PR_SET_PDEATHSIG
_PROGRESS, _RESULT, _REFUSED, _FAILED = range(4)


class TimeLimitReached(Exception):
    """Raised when the time is up; the child has been ended."""


class ChildDied(Exception):
    """Raised when the child ended without an answer; the message is a sentence for people."""


class ChildProcess:
    """A process that calls functions, one after another, as long as the `with` block lasts.

    seconds: the time for all calls together.
    watch: called every `POLL` seconds during a call; what it raises ends the child.

    Functions, their arguments and their results must be picklable. `BadInput` comes back as it was raised,
    any other exception as `ChildDied`.

    `seconds`: for all of them together; `watch`: called every now and then while one is called, and what it
    raises ends the child. Functions, what they are given and what they return must be picklable; `BadInput`
    comes back as it was raised, any other exception as `ChildDied`.
    """

    def __init__(self, seconds: float, watch: Callable[[], object]) -> None:
        self._watch = watch
        self._until = time.monotonic() + seconds
        self._pipe, other = multiprocessing.Pipe()
        numbers = [other.fileno(), os.getpid(), 2 * int(seconds) + 60]
        # A new interpreter: a fork would share the worker's GPU and threads, and what multiprocessing spawns
        # would run the worker's own script again.
        self._process = subprocess.Popen(  # noqa: S603 - itself
            [sys.executable, "-c", _CHILD, *map(str, numbers)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(each or os.getcwd() for each in sys.path)},
            stdin=subprocess.DEVNULL,
            pass_fds=[other.fileno()],
            start_new_session=True,
        )
        other.close()

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()

    def __call__(
        self, function: Callable[..., Result], /, *given: Any, progress: Progress | None = None
    ) -> Result:
        """Call the function in the child and return what it returns.

        Raises:
            BadInput: it raised that.
            TooLong: the time was up before it returned.
            Died: it raised something else, or the child was killed.
        """
        try:
            self._pipe.send((function, given, progress is not None))
            while True:
                if time.monotonic() >= self._until:
                    raise TimeLimitReached
                self._watch()
                if not self._pipe.poll(POLL):
                    continue
                what, said = self._pipe.recv()
                if what == _RESULT:
                    return said  # type: ignore[no-any-return]
                if what == _PROGRESS and progress is not None:
                    progress(*said)
                elif what == _REFUSED:
                    raise said
                elif what == _FAILED:
                    raise ChildDied(said)
        except (EOFError, ConnectionError):
            raise ChildDied(_exit_in_words(self._process.wait())) from None


def _exit_in_words(code: int) -> str:
    """Return a sentence on why the child ended, from its exit code."""
    if code == -signal.SIGKILL:
        return "The process that computed it was killed, as a machine does that runs out of memory."
    return f"The process that computed it ended by itself, with status {code}."


def serve(number: int, parent: int, seconds: int) -> None:
    """Run the child: answer calls until the pipe with that number is closed.

    `parent` is the worker's process id; the child uses at most `seconds` of processor time.
    """
    pipe = Connection(number)
    # Should the worker be killed, nobody is left to end a child that hangs but the system.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_OF_THE_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            return
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    most = seconds if most == resource.RLIM_INFINITY else min(seconds, most)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    # A service's stop may be told to every process of it: the worker decides, and ends the child.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        try:
            function, given, told = pipe.recv()
        except EOFError:
            return
        try:
            more = {"progress": _ProgressSender(pipe)} if told else {}
            answer = (_RESULT, function(*given, **more))
        except BadInput as refusal:
            answer = (_REFUSED, BadInput(str(refusal)))
        except Exception as error:  # noqa: BLE001 - told to the worker, which records it
            answer = (_FAILED, f"{type(error).__name__}: {error}")
        pipe.send(answer)


class _ProgressSender:
    """Sends progress to the worker, at most once in `POLL` seconds for each stage."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._next, self._stage = pipe, 0.0, ""

    def __call__(self, done: int, total: int, stage: str) -> None:
        now = time.monotonic()
        if now >= self._next or stage != self._stage:
            self._next, self._stage = now + POLL, stage
            self._pipe.send((_PROGRESS, (done, total, stage)))

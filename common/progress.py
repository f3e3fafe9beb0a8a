"""How loading says how far it has come, to a bar or to nobody, and who computes for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done, in words."""


def silent(done: int, total: int, stage: str) -> None:
    """Ignore the progress: nobody watches."""


class Compute(Protocol):
    """A way to call a function of the engine, here or in another process.

    `progress` is called with how far it is.
    """

    def __call__(
        self, function: Callable[..., Result], /, *given: Any, progress: Progress | None = None
    ) -> Result: ...


def here(function: Callable[..., Result], /, *given: Any, progress: Progress | None = None) -> Result:
    """Call the function in this process."""
    return function(*given) if progress is None else function(*given, progress=progress)

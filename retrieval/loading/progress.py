"""How loading says how far it has come, to a bar or to nobody."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done, in words."""


def silent(done: int, total: int, stage: str) -> None:
    """Nobody is watching."""

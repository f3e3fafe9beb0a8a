"""What a worker does beside its jobs, at every sweep: each app registers its own.

A chore decides itself whether there is anything to do, is short, and does no harm when two workers do it at
once. One that fails is logged and stops no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module

logger = logging.getLogger(__name__)

CHORES: list[str] = []
"""Functions without arguments, as `package.module.function`: loaded only by a worker."""


def register(function: str) -> None:
    """Have a function called at every sweep of every worker."""
    if function not in CHORES:
        CHORES.append(function)


def do_all() -> None:
    """Do every chore."""
    for function in CHORES:
        try:
            _loaded(function)()
        except Exception:
            logger.exception("The chore %s failed; the next sweep tries again", function)


def _loaded(function: str) -> Callable[[], None]:
    module, _, name = function.rpartition(".")
    found: Callable[[], None] = getattr(import_module(module), name)
    return found

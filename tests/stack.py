"""Room on Python's stack of frames, so that calls do not ask the system for memory again and again.

CPython keeps the frames of a thread in chunks of 16 KiB. A call that does not fit into the chunk maps a new
one and gives it back on return: a loop that stands just at the end of a chunk does so for every call. Below
pytest's own frames this took a fifth of the processor time of tests of pages.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

SLOTS = 2**18
"""Of 8 bytes. A chunk is a power of two: one for a frame of 2 MiB has 4, of which half is left for others."""


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


# No instruction uses that much: the pages are named and never touched.
roomy = FunctionType(_call.__code__.replace(co_stacksize=SLOTS), globals(), "roomy")
"""`roomy(function, *arguments)` calls it with 2 MiB for frames behind it in one piece."""

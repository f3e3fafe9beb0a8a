"""How many calls a function makes: what grows with the square of a text shows without a clock."""

import sys
from collections.abc import Callable
from typing import Any


def calls(function: Callable[..., Any], *arguments: Any) -> int:
    """Calls of Python's and of C's functions while it runs, rounds of generators among them."""
    made = 0

    def count(_: Any, event: str, __: Any) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return made

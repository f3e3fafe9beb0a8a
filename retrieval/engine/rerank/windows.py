"""Which passages a model sees at once while it orders a list: windows from the end to the beginning.

Sun et al. (2023) move a window of `size` passages over the list in steps of `step`, the last passages first,
so that a good one travels forward. The window is clamped at the first passage before the loop ends: a list
that is shorter than a window is one window, and the first ranks are always read. One pass puts the best
`size - step` passages in their places.
"""

from __future__ import annotations

from common.errors import BadField

SIZE = 20
STEP = 10


def windows(n: int, size: int = SIZE, step: int = STEP) -> list[tuple[int, int]]:
    """Return the windows over `n` passages as (first, behind the last), in the order they are read.

    Fewer than two passages need no window.

    Raises:
        BadField: a size below 2, or a step that is not 1 to the size.
    """
    check(size, step)
    found = []
    end = n
    while n > 1:
        start = max(0, end - size)
        found.append((start, end))
        if not start:
            break
        end -= step
    return found


def check(size: int, step: int) -> None:
    """Refuse a window or step that would leave passages unread. Raises `BadField`."""
    if size < 2:
        raise BadField("window", f"A window holds 2 passages or more, not {size}.")
    if not 1 <= step <= size:
        raise BadField(
            "step", f"The step is {step}; it must be 1 to {size}, the window, so that none is left out."
        )

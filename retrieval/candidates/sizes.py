"""Which gold passages a job takes, by their number of sentences: all, of one length, or of a range."""

from __future__ import annotations

import re
from typing import Any

from common.errors import BadInput
from common.wording import counted

SMALLEST, LARGEST = 1, 20
RELIC = "1-5"
"""The lengths of RELiC (Thai et al. 2022): its candidates are passages of one to five sentences."""
_WRITTEN = re.compile(r"([0-9]{1,4})(?:\s?[-–]\s?([0-9]{1,4}))?")

Sizes = int | list[int] | None
"""As a job keeps it: None for every length, a number, or the first and the last of a range."""


def checked(given: Any) -> Sizes:
    """Return what a job keeps of a number, `"2-4"`, `[2, 4]`, or nothing.

    Raises:
        BadInput: it is none of these, out of range, or the wrong way round.
    """
    if given is None or given == "":
        return None
    written = _WRITTEN.fullmatch(given.strip()) if isinstance(given, str) else None
    if written:
        given = [int(written[1]), int(written[2] or written[1])]
    pair = given if isinstance(given, list | tuple) else [given, given]
    if len(pair) != 2 or not all(isinstance(each, int) and not isinstance(each, bool) for each in pair):
        raise _refusal(given)
    low, high = pair
    if not SMALLEST <= low <= high <= LARGEST:
        raise _refusal(given if low != high else low)
    return low if low == high else [low, high]


def ends(sizes: Sizes) -> tuple[int, int] | None:
    """Return the first and the last length that a job takes; None where it takes all."""
    if sizes is None:
        return None
    return (sizes, sizes) if isinstance(sizes, int) else (sizes[0], sizes[1])


def in_words(sizes: Sizes) -> str:
    """Return the lengths behind “of”: `2 sentences`, `1 to 5 sentences`, `every length that occurs`."""
    found = ends(sizes)
    if found is None:
        return "every length that occurs"
    low, high = found
    return counted(low, "sentence") if low == high else f"{low} to {high} sentences"


def _refusal(given: Any) -> BadInput:
    return BadInput(
        f"The parameter size is {given!r:.40}; it must be a whole number from {SMALLEST} to {LARGEST}, a "
        f"range such as {RELIC}, or left out for every length that occurs."
    )

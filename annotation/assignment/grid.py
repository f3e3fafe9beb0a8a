"""The grid of a study's reading page: decided once, so that nothing moves from item to item.

It follows from the longest passage to choose from and from how many there are, at the ordinary size of type.
What a screen makes of it is for the style sheet: a phone has one column whatever the grid.
"""

from __future__ import annotations

from math import ceil

from annotation.models import Grid, Study

CHARACTERS_A_LINE = 60
LINE_PX = 30
AROUND_PX = 31
"""A line at the ordinary size and spacing; the padding and the rule of one passage."""
SHORT = 120
"""Passages of two lines at most leave the text the wider column."""
TALLEST_PX = 1100
"""Higher than that, passages beside a text cannot be compared without losing it from sight."""


def fitting(longest: int, most: int) -> Grid:
    """Return the grid for passages of at most `longest` characters, at most `most` of them an item."""
    if longest <= SHORT:
        return Grid.TEXT
    height = most * (LINE_PX * ceil(longest / CHARACTERS_A_LINE) + AROUND_PX)
    return Grid.EVEN if height <= TALLEST_PX else Grid.BELOW


def grid_of(study: Study) -> Grid:
    """Return the grid for the items of a study as they are now, practice included. Reads every payload."""
    task = study.task_type
    longest = most = 0
    if task.orders_options:
        payloads = study.items.filter(retired=None).values_list("payload", flat=True)
        for payload in payloads.iterator(chunk_size=500):
            options = task.options(payload)
            longest = max([longest, *(len(str(each)) for each in options)])
            most = max(most, len(options))
    return fitting(longest, most)

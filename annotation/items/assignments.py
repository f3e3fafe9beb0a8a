"""The assignments of items: `k` rows for each, under keys that tell nothing of when they were made."""

from __future__ import annotations

from collections.abc import Iterable
from secrets import SystemRandom

from annotation.models import Assignment, Study

AT_ONCE = 2000
KEYS = 2**53
"""Keys of assignments are drawn below this, the largest number that every language of scripts keeps whole."""


def new_assignments(study: Study, items: Iterable[int]) -> list[Assignment]:
    """Store k free assignments for each of these items (primary keys), and return them."""
    items = list(items)
    keys = drawn_keys(len(items) * study.overlap)
    rows = [
        Assignment(pk=keys.pop(), study=study, item_id=item, slot=slot)
        for item in items
        for slot in range(1, study.overlap + 1)
    ]
    return Assignment.objects.bulk_create(rows, batch_size=AT_ONCE)


def drawn_keys(number: int) -> list[int]:
    """Draw primary keys for assignments.

    Readers meet them in addresses: a key must not tell when its row was made, or a check item, whose
    assignment is made on the way, would be known by it.
    """
    return SystemRandom().sample(range(1, KEYS), number)

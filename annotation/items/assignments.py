"""The assignments of items: `k` rows for each, under keys that tell nothing of when they were made."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from secrets import SystemRandom

from annotation.models import Assignment, Study
from annotation.models.rows import insert

AT_ONCE = 2000
KEYS = 2**53
"""Keys of assignments are drawn below this, the largest number that every language of scripts keeps whole."""


def new_assignments(study: Study, items: Iterable[int]) -> int:
    """Store k free assignments for each of these items (primary keys), and return how many."""
    items = list(items)
    keys = drawn_keys(len(items) * study.overlap)
    slots = product(items, range(1, study.overlap + 1))
    rows = ((key, item, slot) for key, (item, slot) in zip(keys, slots, strict=True))
    while some := list(islice(rows, AT_ONCE)):
        insert(Assignment, ("id", "item_id", "slot"), some, study_id=study.pk)
    return len(keys)


def drawn_keys(number: int) -> list[int]:
    """Draw primary keys for assignments.

    Readers meet them in addresses: a key must not tell when its row was made, or a check item, whose
    assignment is made on the way, would be known by it.
    """
    return SystemRandom().sample(range(1, KEYS), number)

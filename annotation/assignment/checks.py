"""Check items: mixed into the work unannounced, to see whether a reader still reads.

After every `check_every` items on average one is put in; where in each such stretch is drawn
for each reader, and so is the order of the check items. Nothing that a reader sees differs.
"""

from __future__ import annotations

from datetime import datetime
from random import Random

from annotation.assignment import groups
from annotation.models import Enrolment, Item, Kind


def planned(me: Enrolment, n_work: int, n_checks: int) -> int:
    """Return how many check items this reader meets on the way through `n_work` work items."""
    every = me.study.check_every
    if not every:
        return 0
    return next((n for n in range(n_checks) if items_before_check(me, n) > n_work), n_checks)


def items_before_check(me: Enrolment, number: int) -> int:
    """Return after how many work items the check item `number` (from 0) comes, drawn from its stretch."""
    every = me.study.check_every or 1
    drawn = Random(f"{me.study.seed}:check:{me.pseudonym}:{number}")  # noqa: S311 - not a secret
    return number * every + drawn.randint(1, every)


def next_check(me: Enrolment, now: datetime) -> Item | None:
    """Return the check item whose turn it is for this reader, or None."""
    if not me.study.check_every:
        return None
    there = me.study.items.filter(kind__in=[Kind.PRACTICE, Kind.CHECK]).order_by("number")
    rows = list(there.values_list("pk", "kind", "retired", "quarantined", "group"))
    # By key: the assignments at these few items are steps in an index, however many the reader has.
    own = me.assignments.filter(item__in=[row[0] for row in rows]).values_list("item", flat=True)
    met = set(own)
    checks = {row[0] for row in rows if row[1] == Kind.CHECK}
    left = {row[0]: row[4] for row in rows if row[0] in checks - met and row[2] is None and row[3] is None}
    n_met = len(checks & met)
    if not left or me.assignments.count() - len(met) < items_before_check(me, n_met):
        return None
    fitting = of_the_group(me, left, now) if me.study.task_type.has_groups else list(left)
    if not fitting:
        return None
    drawn = Random(f"{me.study.seed}:check:{me.pseudonym}:{n_met}:which")  # noqa: S311 - not a secret
    return Item.objects.get(pk=drawn.choice(fitting))


def of_the_group(me: Enrolment, left: dict[int, str], now: datetime) -> list[int]:
    """Return the check items of the group that the reader is in; those of others wait until it is done."""
    at = groups.current_group(me)
    here = [pk for pk, group in left.items() if group == at]
    upcoming = None if here else next(groups.next_items(me, now), None)
    between = not here and (upcoming is None or upcoming.group != at)
    return list(left) if between else here

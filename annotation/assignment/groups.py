"""Items that are read in groups, such as the documents of a topic: which group, and which item of it.

A reader finishes a group before the next. Groups follow each other in the order of their names, as on a
ring; readers enter it at places that lie as far apart as can be, so that every group is early for some and
late for others. Within a group each reader has an order of their own, drawn from the study's seed, their
pseudonym, the group and the item's number.

Entrances: van der Corput 1935, base 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from django.db.models import CharField, Count, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Window

from annotation.models import Assignment, AssignmentStatus, Enrolment, Filling, Item, Kind, Role
from common.composed import Composed, Given

COUNTED: tuple[str, ...] = (Kind.WORK, Kind.CHECK)
"""Kinds that stand among each other: readers do not know check items."""
PRACTICE: tuple[str, ...] = (Kind.PRACTICE,)


class GroupProgress(NamedTuple):
    """Where an item stands in its group, for one reader.

    name: of the group.
    place: which of its items it is for this reader, from 1.
    size: how many items the group has.
    """

    name: str
    place: int
    size: int


def items_for_reader(*, beyond: bool) -> QuerySet[Item]:
    """Return the items that a reader could be given in the slots up to `slot`: those of a group, or the first
    of the groups beyond it.
    """
    lapsed = Q(status=AssignmentStatus.HELD, lease_until__lte=Given("now", DateTimeField()))
    there = Assignment.objects.filter(
        Q(status=AssignmentStatus.FREE) | lapsed, item=OuterRef("pk"), slot__lte=Given("slot")
    )
    own = Assignment.objects.filter(annotator=Given("me"), item=OuterRef("pk"))
    rows = Item.objects.work().given().filter(Exists(there), ~Exists(own), study=Given("study"))
    rows = rows.only("pk", "number", "group")
    group = Given("group", CharField())
    return (
        rows.filter(group__gt=group).order_by("group")[:1] if beyond else rows.filter(group=group).order_by()
    )


def last_given() -> QuerySet[Assignment]:
    """Return the assignment that a reader was given last, practice left out, with its item's group."""
    rows = Assignment.objects.filter(annotator=Given("me"), item__kind__in=COUNTED)
    return rows.order_by("-claimed", "-pk").annotate(group=F("item__group")).only("pk")[:1]


def last_of_group(kinds: tuple[str, ...]) -> QuerySet[Assignment]:
    """Return the assignment of a group with the highest place for a reader."""
    group = Given("group", CharField())
    there = {"item__study": Given("study"), "item__kind__in": kinds, "item__group": group}
    rows = Assignment.objects.filter(annotator=Given("me"), **there)
    return rows.exclude(group_place=None).order_by("-group_place").only("pk", "group_place")[:1]


def items_of_group(kinds: tuple[str, ...]) -> QuerySet[Item]:
    """Return an item of a group, with the number of those that a reader has or may be given as `so_many`.

    Work that others have taken whole is not among them; practice and check items everybody gets.
    """
    own = Assignment.objects.filter(annotator=Given("me"), item=OuterRef("pk"))
    free = Assignment.objects.filter(status=AssignmentStatus.FREE, item=OuterRef("pk"))
    left = Q(quarantined=None, retired=None) & (~Q(kind=Kind.WORK) | Exists(free))
    rows = Item.objects.filter(left | Exists(own), kind__in=kinds)
    rows = rows.filter(study=Given("study"), group=Given("group", CharField()))
    return rows.annotate(so_many=Window(Count("pk"))).order_by().only("pk")[:1]


IN_GROUP = {beyond: Composed(partial(items_for_reader, beyond=beyond)) for beyond in (False, True)}
LAST_GIVEN = Composed(last_given)
LAST_OF_GROUP = {kinds: Composed(partial(last_of_group, kinds)) for kinds in (COUNTED, PRACTICE)}
ITEMS_OF_GROUP = {kinds: Composed(partial(items_of_group, kinds)) for kinds in (COUNTED, PRACTICE)}


def next_items(me: Enrolment, now: datetime) -> Iterator[Item]:
    """Yield items that this reader could be given, best first: of the group they are in, else of the next.

    In breadth, groups with items that have had fewer readings come first.
    """
    most = me.study.overlap
    known = {"me": me.pk, "study": me.study_id, "now": now}
    at = current_group(me)
    if at is not None:
        yield from in_own_order(me, IN_GROUP[False](group=at, slot=most, **known))
    behind = entrance(me) if at is None else at
    for slot in range(1, most + 1) if me.study.filling == Filling.BREADTH else (most,):
        for name in dict.fromkeys((behind, "")):
            while found := IN_GROUP[True].first(group=name, slot=slot, **known):
                name = found.group
                yield from in_own_order(me, IN_GROUP[False](group=name, slot=most, **known))


def current_group(me: Enrolment) -> str | None:
    """Return the group of the item this reader was given last, or None at the beginning."""
    last = LAST_GIVEN.first(me=me.pk)
    return getattr(last, "group", None)


def in_own_order(me: Enrolment, items: list[Item]) -> list[Item]:
    """Return items of one group in the order that this reader gets them."""
    return sorted(items, key=partial(drawn, me))


def drawn(me: Enrolment, item: Item) -> str:
    """Return what places an item in this reader's order of its group: the same in every process."""
    return sha256(f"{me.study.seed}:{me.pseudonym}:{item.group}:{item.number}".encode()).hexdigest()


def entrance(me: Enrolment) -> str:
    """Return the group behind which this reader enters the ring; empty for its beginning."""
    # The database's own order: it says what comes behind a group when one is given.
    rows = me.study.items.work().given().order_by("group")
    groups = list(rows.values_list("group", flat=True).distinct())
    number = me.study.enrolments.filter(role=Role.ANNOTATOR, pk__lt=me.pk).count()
    first = int(van_der_corput(number) * len(groups))
    return groups[first - 1] if first else ""


def van_der_corput(number: int) -> float:
    """Return the term of that number (from 0) of the sequence 0, 1/2, 1/4, 3/4, 1/8, …, each below 1."""
    digits = f"{number:b}"
    return int(digits[::-1], 2) / (1 << len(digits))


def next_place(item: Item, me: Enrolment) -> int | None:
    """Return which of its group an item would be if this reader were given it now; None without a group."""
    if not item.group:
        return None
    last = LAST_OF_GROUP[kinds_beside(item)].first(me=me.pk, study=me.study_id, group=item.group)
    return (last.group_place or 0) + 1 if last is not None else 1


def group_progress(item: Item, me: Enrolment, place: int | None) -> GroupProgress | None:
    """Return where an item stands that has this place for the reader; None without a group."""
    if not item.group:
        return None
    found = ITEMS_OF_GROUP[kinds_beside(item)].first(me=me.pk, study=me.study_id, group=item.group)
    at = place or 1
    size = getattr(found, "so_many", 1) - beyond_quota(item, me)
    # A place stays counted when its item went back to the others.
    return GroupProgress(item.group, at, max(at, size))


def beyond_quota(item: Item, me: Enrolment) -> int:
    """Return how many free work items of this item's group the reader's quota keeps from them."""
    if me.most_work is None or item.kind == Kind.PRACTICE:
        return 0
    free = Assignment.objects.filter(status=AssignmentStatus.FREE, item=OuterRef("pk"))
    own = Assignment.objects.filter(annotator=me, item=OuterRef("pk"))
    rows = Item.objects.work().given().filter(Exists(free), ~Exists(own), study=me.study_id, group=item.group)
    return max(0, rows.count() - max(0, me.most_work - me.assignments.work().count()))


def kinds_beside(item: Item) -> tuple[str, ...]:
    """Return the kinds of the items that this one stands among."""
    return PRACTICE if item.kind == Kind.PRACTICE else COUNTED


def is_to_announce(assignment: Assignment, me: Enrolment) -> bool:
    """Return whether the reader, who holds this assignment, must be told first that its group begins."""
    held = assignment.annotator_id == me.pk and assignment.status == AssignmentStatus.HELD
    return held and bool(assignment.item.group) and assignment.item.group != me.group_seen


def confirm(assignment: Assignment, me: Enrolment) -> None:
    """Store that the reader has seen the announcement of this group."""
    me.group_seen = assignment.item.group
    Enrolment.objects.filter(pk=me.pk).update(group_seen=me.group_seen)

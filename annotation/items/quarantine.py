"""Items that readers find wanting: taken out of the queue by a rule or by hand, and let back likewise.

The rule, for every study alike: an item is put in quarantine when two readers (one, where the study asks for
one reading) have said that it is broken, or have given a reason for not deciding that the task type counts as
the item's fault (of a choice: more than one fits, none of them fits). Each reader's latest word counts: an
item that the rule took out comes back when too few flags are left, because one was changed or taken back.
Once somebody has looked and lifted the quarantine, only what is said afterwards counts. Practice and check
items are never touched.

A quarantined item is given to no further reader. Whoever has it before them may end it, and what was said of
it stays in every number until another version takes its place.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotation.models import Event, Item, Judgment, Kind, Outcome, State, Study
from annotation.tasktypes.base import TaskType, is_storable
from common.errors import BadInput

FLAGS = 2
LONGEST_REASON = 500


def needed(study: Study) -> int:
    """Return how many readers must flag an item of the study before it goes into quarantine."""
    return min(FLAGS, study.overlap)


def flags(task: TaskType, **which: Any) -> QuerySet[Judgment]:
    """Return the current judgments that find fault with the item, not with the reader's knowledge."""
    fault = Q(outcome=Outcome.BROKEN) | Q(outcome=Outcome.UNDECIDED, reason__in=task.wanting)
    return Judgment.objects.current().filter(fault, **which)


def faults(item: Item) -> list[tuple[str, int]]:
    """Return what readers find wrong with the item and how many say so, the most frequent first."""
    found = flags(item.study.task_type, item=item).order_by().values_list("outcome", "reason")
    broken = str(Outcome.BROKEN.label)
    n = Counter(broken if outcome == Outcome.BROKEN else reason for outcome, reason in found)
    return n.most_common()


def by_hand(item: Item) -> str:
    """Return why somebody put the item into quarantine, in their words; empty where nobody did."""
    if item.quarantined is None:
        return ""
    last = item.study.events.filter(verb="quarantine", data__item=item.pk).order_by("-pk").first()
    return str(last.data.get("reason", "")) if last else ""


def wanting(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return those of the studies that have items in quarantine, with their number as `shut`."""
    shut_now = Q(items__quarantined__isnull=False, items__retired=None)
    return studies.annotate(shut=Count("items", filter=shut_now)).filter(shut__gt=0).order_by("-shut", "pk")


def react(item: Item, study: Study, *, now: datetime) -> bool:
    """Put the item into quarantine if enough readers flag it, or let it back if the rule took it out and too
    few do any more; return whether it was put there now.

    Called after a judgment without an answer and after one that replaces another, in its transaction.
    """
    if item.kind != Kind.WORK or study.state != State.OPEN:
        return False
    # Two who flag it at once take turns, or neither would count the other.
    own = Item.objects.select_for_update(no_key=True).get(pk=item.pk)
    found = flags(study.task_type, item=own)
    lifted = study.events.filter(verb="lift", data__item=own.pk).exclude(data__has_key="flags")
    looked = lifted.order_by("-pk").first()
    if looked is not None:
        found = found.filter(created__gt=looked.created)
    n = found.count()
    if n >= needed(study):
        return shut(own, study, by=None, now=now, data={"flags": n})
    if own.quarantined is not None and own.retired is None and by_rule(own):
        Item.objects.filter(pk=own.pk).update(quarantined=None)
        data = {"item": own.pk, "number": own.number, "flags": n}
        Event.objects.create(study=study, actor=None, verb="lift", data=data)
    return False


def by_rule(item: Item) -> bool:
    """Return whether it was the rule that put the item into quarantine."""
    last = item.study.events.filter(verb="quarantine", data__item=item.pk).order_by("-pk").first()
    return last is not None and "flags" in last.data


def quarantine(item: Item, *, by: User | None, reason: str, now: datetime) -> None:
    """Put the item into quarantine by hand. Raises `BadInput` without a reason or where it cannot be."""
    reason = reason.strip()
    if not reason:
        raise BadInput("Say in a few words why the item is taken out.")
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"The reason has {len(reason)} characters: at most {LONGEST_REASON} fit.")
    if not is_storable(reason):
        raise BadInput("The reason holds NUL or half a character pair, which cannot be stored.")
    if item.kind != Kind.WORK:
        raise BadInput("Only items of the work itself can be put in quarantine.")
    with transaction.atomic():
        if not shut(item, item.study, by=by, now=now, data={"reason": reason}):
            raise BadInput("The item is in quarantine already, or another version has taken its place.")


def shut(item: Item, study: Study, *, by: User | None, now: datetime, data: dict[str, object]) -> bool:
    """Put the item into quarantine and record it; return False where it is there already."""
    open_now = Item.objects.filter(pk=item.pk, quarantined=None, retired=None)
    if not open_now.update(quarantined=now):
        return False
    known = {"item": item.pk, "number": item.number}
    Event.objects.create(study=study, actor=by, verb="quarantine", data={**known, **data})
    return True


def lift(item: Item, *, by: User | None) -> None:
    """Give the item to readers again. `BadInput` where it is not in quarantine, or was replaced."""
    with transaction.atomic():
        shut_now = Item.objects.filter(pk=item.pk, retired=None).exclude(quarantined=None)
        if not shut_now.update(quarantined=None):
            raise BadInput(
                "The item is not in quarantine: it was given back, or another version stands for it."
            )
        data = {"item": item.pk, "number": item.number}
        Event.objects.create(study=item.study, actor=by, verb="lift", data=data)

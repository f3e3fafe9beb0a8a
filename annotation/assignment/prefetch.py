"""Prefetch the next item: its text is sent before it is claimed, so that its reader need not wait for it.

What a reader would be given next is what they are given where nobody came between; else the page shows
what they are given, as ever. Nothing is stored, so no clock begins and nobody has less to choose from.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.crypto import salted_hmac

from annotation.assignment import checks, consents
from annotation.assignment.claiming import may_work, shown_order
from annotation.assignment.groups import group_progress, next_place
from annotation.assignment.holding import held_by
from annotation.assignment.next_item import free_assignment
from annotation.models import Assignment, AssignmentStatus, Enrolment, Item, Kind


def item_after(assignment: Assignment, me: Enrolment, *, now: datetime) -> Item | None:
    """Return the item that comes when this assignment ends or is put off, as far as can be seen now; None
    for none.
    """
    if (
        assignment.status != AssignmentStatus.HELD
        or assignment.put_off is not None
        or assignment.item.kind == Kind.PRACTICE
    ):
        return None
    if not may_work(me) or consents.consent_to_ask(me) is not None:
        return None
    # What the reader took along comes before anything new.
    along = held_by(me).filter(put_off=None).exclude(pk=assignment.pk).order_by("claimed", "pk").first()
    found = along.item if along is not None else checks.next_check(me, now)
    if found is None:
        seen = free_assignment(me, now, locked=False)
        found = seen.item if seen is not None else None
    # Of another group nothing is shown before that group is announced.
    return found if found is not None and found.group == assignment.item.group else None


def prefetch_name(item: Item, me: Enrolment) -> str:
    """Return the name of a prefetched item on the page: its own key would tell a check item from the work."""
    return "prefetch-" + salted_hmac("annotation.prefetch", f"{item.pk}:{me.pk}").hexdigest()[:20]


def prefetch_context(item: Item, me: Enrolment) -> dict[str, Any]:
    """Return the context of `annotation/prefetch.html`: the item, with its name where the key will be.

    Nothing is chosen in it: neither a machine's answer nor anybody's.
    """
    study = me.study
    return {
        "assignment": {"pk": prefetch_name(item, me)},
        "study": study,
        "task": study.task_type,
        "chosen": None,
        "group": group_progress(item, me, next_place(item, me)),
        "shown": study.task_type.present(item.payload, shown_order(study, item, me.pseudonym)),
    }

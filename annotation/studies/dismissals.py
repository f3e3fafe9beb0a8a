"""Findings that somebody read and found harmless: who, when and why, until it is taken back.

The record keeps both acts as events. A finding is known by its kind and by both texts, not by its items, so
that it comes back as soon as one of the texts is another.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from django.contrib.auth.models import User

from annotation.models import Event, Study
from common.errors import BadField, BadInput

DISMISS, RETURN = "dismiss finding", "return finding"


class Dismissal(NamedTuple):
    """That a finding is harmless: who said so (None: a command), when, and why."""

    actor: User | None
    when: datetime
    why: str


def key_of(kind: str, sought: str, shown: str) -> str:
    """Return what a finding is known by: a digest of its kind, the option and the text that prints it."""
    parts = blake2b(digest_size=16)
    for text in (kind, sought, shown):
        said = text.encode()
        parts.update(len(said).to_bytes(8, "big") + said)
    return parts.hexdigest()


def dismissals(study: Study) -> dict[str, Dismissal]:
    """Return the dismissals that stand, by the key of their finding."""
    found: dict[str, Dismissal] = {}
    acts = study.events.filter(verb__in=(DISMISS, RETURN)).select_related("actor").order_by("id")
    for act in acts:
        if act.verb == DISMISS:
            found[act.data["key"]] = Dismissal(act.actor, act.created, act.data["why"])
        else:
            found.pop(act.data["key"], None)
    return found


def dismiss(study: Study, key: str, kind: str, items: list[int], *, by: User | None, why: str) -> None:
    """Record that the finding is harmless; `items`: the numbers of those it is about.

    `BadField` without a reason, `BadInput` where it is dismissed already.
    """
    if not why.strip():
        raise BadField("why", "Say why it is harmless: the reason is recorded with your name.")
    if key in dismissals(study):
        raise BadInput("This finding is marked as harmless already.")
    data = {"key": key, "kind": kind, "items": items, "why": " ".join(why.split())}
    Event.objects.create(study=study, actor=by, verb=DISMISS, data=data)


def take_back(study: Study, key: str, *, by: User | None) -> None:
    """Record that the finding counts again. `BadInput` where it was not dismissed."""
    if key not in dismissals(study):
        raise BadInput("This finding is not marked as harmless: the list below is as it is now.")
    Event.objects.create(study=study, actor=by, verb=RETURN, data={"key": key})

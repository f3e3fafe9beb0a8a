"""What happened becomes messages: rows that are stored with what they tell, and sent by workers later."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from annotation.models import (
    AssignmentStatus,
    Delivery,
    HookEvent,
    Item,
    Judgment,
    Kind,
    Study,
    Webhook,
)
from retrieval.jobs import notify


def announce(judgment: Judgment, study: Study) -> None:
    """Store a message on a judgment for each webhook of its study, in the transaction that stores it.

    Also where a webhook wants to hear of items alone: `follow` looks whether one is done when the message
    is sent, after the commit, so that of two last readers at the same moment one is seen.
    """
    if not settings.WEBHOOKS:
        return
    for hook in study.webhooks.filter(ended=None):
        item = judgment.assignment.item
        data = {
            **of_item(study, item),
            "kind": item.kind,
            "judgment": judgment.pk,
            "revision": judgment.revision,
            "outcome": judgment.outcome,
        }
        store(hook, HookEvent.JUDGMENT, item, data)


def follow(message: Delivery) -> None:
    """Store what follows from a message on a judgment: that its item, or the study, is done. Once each."""
    hook, item = message.hook, message.item
    if message.event != HookEvent.JUDGMENT or item is None or item.kind != Kind.WORK:
        return
    study, unread = hook.study, {"status__in": (AssignmentStatus.FREE, AssignmentStatus.HELD)}
    if HookEvent.ITEM in hook.events and not item.assignments.filter(**unread).exists():
        store(hook, HookEvent.ITEM, item, {**of_item(study, item), "readings": item.assignments.count()})
    counted = study.assignments.counted()
    if HookEvent.STUDY in hook.events and not counted.filter(**unread).exists():
        store(hook, HookEvent.STUDY, None, {"study": study.slug, "readings": counted.count()})


def met(study: Study, data: dict[str, Any]) -> None:
    """Store a message that the stopping rule of a study is met, for each webhook that wants to hear of it."""
    if not settings.WEBHOOKS:
        return
    for hook in study.webhooks.filter(ended=None):
        if HookEvent.RULE in hook.events:
            store(hook, HookEvent.RULE, None, {"study": study.slug, **data})


def store(hook: Webhook, event: str, item: Item | None, data: dict[str, Any]) -> None:
    """Store a message, unless it may be stored once and is there."""
    with suppress(IntegrityError):
        stored(hook, event, item, data)


def stored(hook: Webhook, event: str, item: Item | None, data: dict[str, Any]) -> Delivery:
    """Store a message and return it. Raises IntegrityError where it may be stored once and is there."""
    with transaction.atomic():
        made = Delivery.objects.create(
            hook=hook, event=event, item=item, data=data, total=1, code_version=settings.VERSION
        )
    notify.on_commit(made)
    return made


def of_item(study: Study, item: Item) -> dict[str, Any]:
    """Return what names an item."""
    return {"study": study.slug, "item": item.number, "item_digest": item.digest}

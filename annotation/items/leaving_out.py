"""Items that are left out of a draft, and taken back in: they stay in it, and no reader gets them."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.items.covering import changeable
from annotation.models import Event, Item
from common.errors import BadInput


def leave_out(item: Item, *, by: User | None, why: str, now: datetime) -> None:
    """Take an item out of a draft. `BadInput` once the study has opened, or where it is out already."""
    with transaction.atomic():
        item = changeable(item)
        if not Item.objects.filter(pk=item.pk, retired=None).update(retired=now):
            raise BadInput(f"Item {item.number} is left out already, or another version stands for it.")
        data = {"item": item.pk, "number": item.number, "why": why}
        Event.objects.create(study=item.study, actor=by, verb="leave out", data=data)


def take_back(item: Item, *, by: User | None) -> None:
    """Take an item back in. `BadInput` once the study has opened, or where it was not left out."""
    with transaction.atomic():
        item = changeable(item)
        if not Item.objects.left_out().filter(pk=item.pk).exists():
            raise BadInput(f"Item {item.number} was not left out.")
        Item.objects.filter(pk=item.pk).update(retired=None)
        data = {"item": item.pk, "number": item.number}
        Event.objects.create(study=item.study, actor=by, verb="take back", data=data)

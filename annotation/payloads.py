"""Items as files hold them → items of a study: each checked, none twice, none half-written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Event, Item, Kind, State, Study
from annotation.tasktypes.base import Answer, Invalid
from retrieval.engine.errors import BadInput

AT_ONCE = 500


class Entry(NamedTuple):
    """One item as a file has it. `where` names the place in the file, for messages."""

    where: str
    payload: dict[str, Any]
    gold: Answer | None = None
    provenance: Mapping[str, Any] = {}
    kind: str = Kind.WORK


class Added(NamedTuple):
    """How many items were stored now, and how many were there before."""

    new: int
    known: int


def add_payloads(study: Study, entries: Iterable[Entry], *, by: User | None, source: str = "") -> Added:
    """Append the items that a draft does not have yet; all or nothing. Run again it adds nothing.

    Items are known by the digest of their payload, and by `id` in their provenance
    where they have one: an id with other content is refused, as is an item twice in
    `entries`. An opened study takes no new item.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        rows = study.items.values_list("digest", "provenance", "number")
        ids = {str(made["id"]): digest for digest, made, _ in rows if made.get("id") is not None}
        known, number = {digest for digest, _, _ in rows}, max((n for _, _, n in rows), default=0)
        places: dict[str, str] = {}
        items = []
        for entry in entries:
            item = checked_item(study, entry)
            check_once(entry, item.digest, places, ids)
            if item.digest not in known:
                number += 1
                item.number = number
                items.append(item)
        if items and study.state != State.DRAFT:
            raise BadInput(
                f"{len(items)} of these items are new, and “{study.slug}” is "
                f"{study.get_state_display().lower()}: only a draft takes new items."
            )
        Item.objects.bulk_create(items, batch_size=AT_ONCE)
        if items:
            what = {"file": source, "items": len(items)}
            Event.objects.create(study=study, actor=by, verb="build", data=what)
    return Added(len(items), len(places) - len(items))


def checked_item(study: Study, entry: Entry) -> Item:
    """The item of an entry, unsaved; `BadInput` names the place and the field."""
    task, gold = study.task_type, entry.gold
    try:
        task.check_payload(entry.payload)
    except Invalid as error:
        raise BadInput(f"{entry.where}, field “{error.field}”: {error}") from None
    try:
        gold = task.check_answer(entry.payload, gold) if gold is not None else None
    except Invalid as error:
        raise BadInput(f"{entry.where}, field “gold”: {error}") from None
    return Item(
        study=study,
        payload=entry.payload,
        gold=gold,
        kind=entry.kind,
        provenance=dict(entry.provenance),
        digest=digest(entry.payload),
    )


def check_once(entry: Entry, of_item: str, places: dict[str, str], ids: dict[str, str]) -> None:
    """Note where an item stands; `BadInput` when it stands twice, or its id belongs to another one."""
    if of_item in places:
        raise BadInput(f"{entry.where}: the same item as {places[of_item]}.")
    places[of_item] = entry.where
    name = entry.provenance.get("id")
    if name is not None and ids.setdefault(str(name), of_item) != of_item:
        raise BadInput(f"{entry.where}, field “id”: “{name}” is the id of another item already.")


def digest(payload: dict[str, Any]) -> str:
    """sha256 of the payload as canonical JSON: the same words in the same order, the same digest."""
    canonical = json.dumps(payload, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

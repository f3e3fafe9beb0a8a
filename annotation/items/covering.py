"""Words of an item's context that are covered before its study opens, and uncovered again.

Readers get the payload, in which they are printed as […]. The provenance keeps the context as it was built
and every cover; the item's digest stays that of the item as it was built, so that a file or a job that holds
it adds it no second time. Who covered what stands in the record too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Event, Item, State, Study
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from retrieval.engine.leaks.places import Place
from retrieval.engine.quotations import masking

BUILT, COVERS = "context_as_built", "covers"


class Cover(NamedTuple):
    """A covered stretch: of which text of the context, from 0, its code points there as it was built, its
    words, why, since when (ISO 8601), and the event that records who did it.
    """

    text: int
    start: int
    end: int
    words: str
    why: str
    at: str
    event: int


def built(item: Item) -> list[str]:
    """Return the context as it was built, a text for each sentence."""
    return list(item.provenance.get(BUILT) or item.study.task_type.context_texts(item.payload))


def covers(item: Item) -> list[Cover]:
    """Return what is covered now, in the order in which it was."""
    return [Cover(*each) for each in item.provenance.get(COVERS, [])]


def with_actors(item: Item) -> list[tuple[Cover, User | None]]:
    """Return the covers, each with who made it."""
    there = covers(item)
    events = Event.objects.select_related("actor").in_bulk([each.event for each in there])
    return [(each, events[each.event].actor if each.event in events else None) for each in there]


def shown(texts: Sequence[str], places: Sequence[Place | Cover]) -> list[str]:
    """Return the texts with these stretches printed as […]."""
    spans = [sorted((each.start, each.end) for each in places if each.text == n) for n in range(len(texts))]
    return [
        masking.cover(text, (0, len(text)), together(each)) for text, each in zip(texts, spans, strict=True)
    ]


def as_built(item: Item, place: Place) -> Place:
    """Return where a stretch of the context as it is shown stands in the context as it was built.

    What is covered within it is part of it.
    """
    spans = together(sorted((each.start, each.end) for each in covers(item) if each.text == place.text))
    origin: list[int] = []
    at = 0
    for low, high in spans:
        origin += [*range(at, low), *[low] * len(masking.COVERED)]
        at = high
    origin += range(at, len(built(item)[place.text]))
    return Place(place.text, origin[place.start], origin[place.end - 1] + 1)


def together(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted spans with those that meet as one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def cover(item: Item, places: Sequence[Place], *, by: User | None, why: str, now: datetime) -> Item:
    """Cover these stretches, given in the context as it was built, and return the item as it is then.

    Raises:
        BadInput: the study has opened, or all of them are covered already.
    """
    with transaction.atomic():
        item = changeable(item)
        texts, there = built(item), covers(item)
        new = [each for each in places if not any(within(each, old) for old in there)]
        if not new:
            raise BadInput("These words are covered already.")
        for place in new:
            words = texts[place.text][place.start : place.end]
            data = {"item": item.pk, "number": item.number, "words": words, "why": why}
            event = Event.objects.create(study=item.study, actor=by, verb="cover", data=data)
            there.append(Cover(*place, words, why, now.isoformat(timespec="seconds"), event.pk))
        store(item, texts, there)
    return item


def uncover(item: Item, event: int, *, by: User | None) -> Item:
    """Take back the cover of that event, and return the item as it is then.

    Raises:
        BadInput: the study has opened, or there is no such cover.
    """
    with transaction.atomic():
        item = changeable(item)
        there = covers(item)
        gone = next((each for each in there if each.event == event), None)
        if gone is None:
            raise BadInput("This cover is not there any more.")
        data = {"item": item.pk, "number": item.number, "words": gone.words}
        Event.objects.create(study=item.study, actor=by, verb="uncover", data=data)
        store(item, built(item), [each for each in there if each is not gone])
    return item


def carried(old: Item, made: Item) -> Item:
    """Return another version of an item, unsaved, with what was covered in the one it replaces."""
    there = covers(old)
    if there and built(made) == built(old):
        put(made, built(old), there)
    return made


def within(place: Place, old: Cover) -> bool:
    """Return whether a stretch is covered already by this cover."""
    return place.text == old.text and old.start <= place.start and place.end <= old.end


def changeable(item: Item) -> Item:
    """Return the item as it is now, locked with its study.

    Raises:
        BadInput: readers have or had it.
    """
    draft(item.study)
    return Item.objects.select_for_update(of=("self",), no_key=True).select_related("study").get(pk=item.pk)


def draft(study: Study) -> None:
    """Lock the study until the transaction ends.

    Raises:
        BadInput: it has opened.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.state != State.DRAFT:
        raise BadInput(
            f"“{study.slug}” is {study.state}: readers have its items, and what they read stays as it was."
        )


def store(item: Item, texts: list[str], there: list[Cover]) -> None:
    """Store an item with these covers.

    Raises:
        BadInput: its payload is none of its task any more; nothing is stored.
    """
    put(item, texts, there)
    try:
        item.study.task_type.check_payload(item.payload)
    except Invalid as error:
        raise BadInput(str(error)) from None
    item.save(update_fields=["payload", "provenance"])


def put(item: Item, texts: list[str], there: list[Cover]) -> None:
    """Write the covers into the payload and the provenance; without any, both are as they were built."""
    item.payload = item.study.task_type.with_context(item.payload, shown(texts, there))
    kept: dict[str, Any] = {
        name: value for name, value in item.provenance.items() if name not in {BUILT, COVERS}
    }
    item.provenance = {**kept, BUILT: texts, COVERS: [list(each) for each in there]} if there else kept

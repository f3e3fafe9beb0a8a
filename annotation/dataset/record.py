"""The record of a study without persons: each event's data by what may leave the installation, and back.

What is not named here stays here: drafts and what a form was sent with, names of files, addresses. A file is
named by whoever uploaded it, often after themselves, and no number needs its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from annotation.dataset.lines import Row
from annotation.models import Assignment, Event, Item, Study

AT_ONCE = 500
IMPORT = "import data set"
LEFT_OUT = ("export", IMPORT)
"""Verbs of what does not change a study."""
BY = "by"
"""In the data of an event that was read in: the pseudonym of who did it."""
SETTINGS = (
    "title", "overlap", "seed", "option_order", "filling", "lease_minutes", "quota", "pass_mark",
    "check_every", "ask_confidence", "ask_basis", "neighbours", "earlier_answers", "source_after", "rate",
    "currency", "step",
    "stop_measure", "stop_width", "stop_items", "stop_every", "stop_most", "stop_closes",
    "stop_spending", "stop_threshold", "stop_run",
)  # fmt: skip
KEPT = frozenset((
    *SETTINGS,
    "active_seconds", "answer", "answered", "answers", "at", "away", "basis", "beyond", "channel", "claimed",
    "confidence", "consent_version", "days", "drawn", "endpoint", "first", "flags", "from", "gone",
    "items", "judgments", "keeps", "kept", "key", "kind", "lease_until", "left_out", "new", "note", "number",
    "of", "on", "opened", "order", "outcome", "places", "previews", "prompt", "pseudonym", "purpose",
    "reader", "readings", "reason", "revision", "right", "role", "seats", "sha256", "simulated", "source",
    "state", "to", "version", "was", "why", "words", "half_width", "high", "level", "low", "measure", "met",
    "value",
))  # fmt: skip


def rows(study: Study, names: Mapping[int, str]) -> Iterator[Row]:
    """Yield each event; `names`: the pseudonym of each enrolment's key."""
    who = dict(study.enrolments.exclude(user=None).values_list("user", "pseudonym"))
    found = study.events.exclude(verb__in=LEFT_OUT).order_by("pk").iterator(AT_ONCE)
    while those := list(islice(found, AT_ONCE)):
        keys = {name: {each.data.get(name) for each in those} - {None} for name in ("item", "assignment")}
        items = dict(Item.objects.filter(pk__in=keys["item"], study=study).values_list("pk", "number"))
        of_study = Assignment.objects.filter(pk__in=keys["assignment"], study=study)
        places = {
            pk: [number, slot] for pk, number, slot in of_study.values_list("pk", "item__number", "slot")
        }
        for event in those:
            by = event.data.get(BY, "") if event.actor_id is None else who.get(event.actor_id, "")
            yield event.verb, by, without_keys(event, items, places, names), event.created


def without_keys(
    event: Event, items: Mapping[int, int], places: Mapping[int, list[int]], names: Mapping[int, str]
) -> dict[str, Any]:
    """Return an event's data: items by number, assignments by item and place, readers by pseudonym."""
    data = event.data
    said = {name: value for name, value in data.items() if name in KEPT}
    for name, known in (("item", items), ("assignment", places), ("enrolment", names)):
        if name in data:
            said[name] = known.get(data[name])
    return said


def with_keys(
    data: Mapping[str, Any],
    by: str,
    items: Mapping[int, int],
    places: Mapping[Any, int],
    readers: Mapping[str, int],
) -> dict[str, Any]:
    """Return what is stored of an event that is read in: the other way round."""
    said = dict(data)
    if "item" in said:
        said["item"] = items.get(said["item"])
    if "assignment" in said:
        said["assignment"] = places.get(tuple(said["assignment"] or ()))
    if "enrolment" in said:
        said["enrolment"] = readers.get(said["enrolment"])
    return {**said, BY: by} if by else said

"""The workbench: an item that readers found wanting, its candidates, and another version of it.

Another candidate set is another item, with the next number and version, which replaces the first; the first
is retired with its judgments, and numbers leave it out. Candidates come from the job the item was made of, by
its ranking and rules: the next in rank that no version of the item has shown. While nobody has taken up the
new version it can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.items.assignments import new_assignments
from annotation.items.covering import carried
from annotation.items.from_candidates import item_of
from annotation.models import AssignmentStatus, Event, Item, Kind, State, Study
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from retrieval.candidates.more_negatives import more_negatives
from retrieval.models import Candidate, CandidateJob

OFFERED = 5
"""Candidates shown as next in rank."""


class NextCandidates(NamedTuple):
    """Candidates that may come into an item.

    candidates: unused ones, best rank first.
    reason: why there are no more; empty where there are.
    """

    candidates: list[Candidate]
    reason: str


def versions(item: Item) -> Iterator[Item]:
    """Yield the item and those it replaced, the latest first."""
    while True:
        yield item
        if item.replaces is None:
            return
        item = item.replaces


def changeable(item: Item) -> CandidateJob:
    """Return the job the item's candidates are from.

    Raises `BadInput` where no other version of the item can be made.
    """
    if item.kind != Kind.WORK or item.excerpt is None or not item.provenance.get("options"):
        raise BadInput("This item was not made of a job’s candidates: it can be taken out, not rebuilt.")
    if item.is_left_out:
        raise BadInput("This item is left out of the study: take it back in first.")
    if item.retired is not None:
        raise BadInput("Another version has taken this item’s place: change that one.")
    job = CandidateJob.objects.select_related("book").filter(pk=item.provenance.get("job")).first()
    if job is None:
        raise BadInput("The job this item was made of is not there any more.")
    return job


def coming(item: Item, job: CandidateJob, most: int = OFFERED) -> NextCandidates:
    """Return wrong candidates that no version of the item has shown, by rank."""
    assert item.excerpt is not None  # noqa: S101 - `changeable` looked
    shown = {option["first"] for each in versions(item) for option in each.provenance["options"]}
    found = more_negatives(job, item.excerpt, most + len(shown))
    return NextCandidates([each for each in found.candidates if each.first not in shown][:most], found.reason)


def replace(item: Item, option: int, *, by: User | None, now: datetime) -> Item:
    """Make a version with one wrong option replaced by the next in rank. Raises `BadInput`."""
    options = item.provenance.get("options") or []
    if not 0 <= option < len(options) or options[option]["is_gold"]:
        raise BadInput("Choose one of the wrong options: the gold passage stays.")
    return renewed(item, [option], "replace", by=by, now=now)


def rebuild(item: Item, *, by: User | None, now: datetime) -> Item:
    """Make a version with all wrong options replaced by the next in rank. Raises `BadInput`."""
    options = item.provenance.get("options") or []
    wrong = [number for number, option in enumerate(options) if not option["is_gold"]]
    return renewed(item, wrong, "rebuild", by=by, now=now)


def renewed(item: Item, away: list[int], verb: str, *, by: User | None, now: datetime) -> Item:
    """Store the new version, retire the old one and record it, all or nothing; return the new one."""
    job = changeable(item)
    found = coming(item, job, len(away))
    if len(found.candidates) < len(away):
        raise BadInput(f"There are not enough candidates left. {found.reason}".strip())
    kept = [candidate(job, item, each) for n, each in enumerate(item.provenance["options"]) if n not in away]
    options = sorted([*kept, *found.candidates], key=lambda each: (not each.is_gold, each.rank))
    with transaction.atomic():
        # No lock on its key: a reader who flags the item holds it, and their event names the study.
        study = Study.objects.select_for_update(no_key=True).get(pk=item.study_id)
        retired = Item.objects.filter(pk=item.pk, retired=None).update(retired=now)
        if not retired:
            raise BadInput("Another version has taken this item’s place: change that one.")
        made = stored(study, item, options, job)
        data = {"item": item.pk, "number": item.number, "new": made.number, "version": made.version}
        firsts = [each.first for each in found.candidates]
        Event.objects.create(study=study, actor=by, verb=verb, data={**data, "away": away, "first": firsts})
    return made


def candidate(job: CandidateJob, item: Item, option: dict[str, Any]) -> Candidate:
    """Return an option of the item as an unsaved candidate."""
    return Candidate(job=job, excerpt=item.excerpt, **option)


def stored(study: Study, old: Item, options: list[Candidate], job: CandidateJob) -> Item:
    """Store the item of these options, gold first, instead of the old one; with assignments once opened."""
    assert old.excerpt is not None  # noqa: S101 - `changeable` looked
    made = carried(old, item_of(old.excerpt, options, job, study, version=old.version + 1))
    try:
        study.task_type.check_payload(made.payload)
        made.gold = study.task_type.check_answer(made.payload, made.gold)
    except Invalid as error:
        raise BadInput(str(error)) from None
    if study.items.filter(digest=made.digest).exists():
        raise BadInput("The study has an item with these very words already.")
    made.number = (study.items.aggregate(last=Max("number"))["last"] or 0) + 1
    made.replaces = old
    made.save(force_insert=True)
    if study.state != State.DRAFT:
        new_assignments(study, [made.pk])
    return made


def undo(item: Item, *, by: User | None) -> Item:
    """Take a new version away again and put the old one back as it was. `BadInput` once a reader has it."""
    old = item.replaces
    if old is None:
        raise BadInput("This is the item’s first version: there is nothing to undo.")
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=item.study_id)
        # Held until the end: a reader who comes now steps over these assignments.
        held = list(item.assignments.order_by("slot").select_for_update())
        taken = any(each.status != AssignmentStatus.FREE for each in held)
        # An answer that came too late is no judgment, and names the item for ever.
        late = item.study.events.filter(verb="late", data__item=item.pk).exists()
        if taken or late or item.judgments.exists() or item.retired is not None:
            raise BadInput("A reader has taken up this version, or another one replaced it: it stays.")
        data = {"item": old.pk, "number": old.number, "gone": item.number, "version": item.version}
        item.delete()
        Item.objects.filter(pk=old.pk).update(retired=None)
        Event.objects.create(study=old.study, actor=by, verb="undo", data=data)
    return Item.objects.select_related("study").get(pk=old.pk)

"""A study opens, closes and opens again: the moments that let readers in and keep them out."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, F, QuerySet

from annotation.assignment.grid import grid_of
from annotation.items.assignments import new_assignments
from annotation.models import EnrolmentState, Event, Invitation, Kind, Role, State, Study
from annotation.tasktypes.base import TaskType
from annotation.validation.samples import faults
from common.errors import BadInput
from common.wording import counted
from retrieval.models import Status

NOBODY_COMES = "has no reader, and no invitation link is valid: make a link, or enrol somebody."
"""The second half of a sentence."""


def open_study(study: Study, *, by: User | None, now: datetime) -> Study:
    """Make k assignments for every work item and let the readers in; all or nothing.

    One reader is enough, or a link by which one can come: the k places of an item fill as readers join.
    `BadInput` says what is missing.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        check_ready(study, now)
        items = study.items.work().filter(retired=None).order_by("number").values_list("pk", flat=True)
        places = new_assignments(study, items)
        study.state, study.opened, study.grid = State.OPEN, now, grid_of(study)
        study.save(update_fields=["state", "opened", "grid"])
        Event.objects.create(study=study, actor=by, verb="open", data={"places": places})
        transaction.on_commit(count_rows_anew)
    return study


def count_rows_anew() -> None:
    """Have PostgreSQL look at the tables of a reader's step, which have just been filled.

    Until it does so by itself, a minute later or more, it takes them for empty and reads a whole index where
    one of its rows would do: two thirds of the server's work at a step.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE annotation_item (study_id, kind, retired, quarantined)")
            cursor.execute(
                "ANALYZE annotation_assignment (study_id, item_id, slot, annotator_id, status, claimed)"
            )


def check_ready(study: Study, now: datetime) -> None:
    """Raise `BadInput` unless this study can be opened."""
    if study.state != State.DRAFT:
        raise BadInput(f"The study “{study.slug}” is {study.state}: only a draft can be opened.")
    if study.item_imports.filter(status__in=[Status.QUEUED, Status.RUNNING]).exists():
        raise BadInput(f"The study “{study.slug}” is being filled from a file: wait for its end, or stop it.")
    for lack in lacks(study, in_kinds(study)):
        raise BadInput(f"The study “{study.slug}” {lack}")
    readers = study.enrolments.filter(role=Role.ANNOTATOR, state=EnrolmentState.ACTIVE)
    if not readers.exists() and not free_seats(study, now).exists():
        raise BadInput(f"The study “{study.slug}” {NOBODY_COMES}")


def free_seats(study: Study, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations by which a reader can still come."""
    valid = study.invitations.filter(role=Role.ANNOTATOR, revoked=None, expires__gt=now)
    return valid.filter(used__lt=F("seats"))


def in_kinds(study: Study) -> Counter[str]:
    """Return how many items of each kind the study has, without those that were left out or replaced."""
    rows = study.items.filter(retired=None).order_by().values_list("kind").annotate(n=Count("pk"))
    return Counter(dict(rows))


def lacks(study: Study, n: Counter[str]) -> list[str]:
    """Return what the items leave open, as the second halves of sentences; `n`: items by kind."""
    found = []
    if not n[Kind.WORK]:
        found.append(f"has no items to work on: take them from {sources(study.task_type)}.")
    if study.task_type.one_scale:
        work = study.items.work().filter(retired=None).order_by("categories")
        scales = list(work.values_list("categories", flat=True).distinct())
        if len(scales) > 1:
            found.append(
                f"has items with scales of {scales[0]} to {scales[-1]} steps, and its numbers need "
                "one scale: take the items out, and make a study for each scale."
            )
    if study.pass_mark is not None and study.pass_mark > n[Kind.PRACTICE]:
        found.append(
            f"wants {counted(study.pass_mark, 'right practice answer')} and has "
            f"{counted(n[Kind.PRACTICE], 'practice item')}: add some, or lower the pass mark."
        )
    if study.check_every is not None and not n[Kind.CHECK]:
        found.append("mixes in check items and has none: add some, or mix in none.")
    return found + faults(study)


def sources(task: TaskType) -> str:
    """Return in words what items of the task can be made of."""
    ways = (
        (task.from_candidates, "a finished job"),
        (task.from_pools, "a pool"),
        (task.from_excerpts, "a sample of excerpts"),
        (True, "a file"),
    )
    return " or from ".join(words for can, words in ways if can)


def close_study(study: Study, *, by: User | None, now: datetime) -> Study:
    """Let nobody submit any more. What was given stays; an answer that comes later is kept as an event."""
    with transaction.atomic():
        closed = Study.objects.filter(pk=study.pk, state=State.OPEN).update(state=State.CLOSED, closed=now)
        study.refresh_from_db()
        if not closed:
            raise BadInput(f"The study “{study.slug}” is {study.state}: only an open study can be closed.")
        Event.objects.create(study=study, actor=by, verb="close")
    return study


def reopen_study(study: Study, *, by: User | None) -> Study:
    """Let the readers of a closed study in again. Assignments, orders and answers are as they were."""
    with transaction.atomic():
        opened = Study.objects.filter(pk=study.pk, state=State.CLOSED).update(state=State.OPEN, closed=None)
        study.refresh_from_db()
        if not opened:
            raise BadInput(
                f"The study “{study.slug}” is {study.state}: only a closed study can be opened again."
            )
        Event.objects.create(study=study, actor=by, verb="reopen")
    return study

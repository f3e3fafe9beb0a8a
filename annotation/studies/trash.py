"""The trash: a deleted study can be restored for thirty days, and is then purged.

While it is away nobody sees it by page or by API: `access` asks for studies that are there. What
was said in it stays in the database until it is purged, and leaves one event behind.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation.models import (
    Assignment,
    Decision,
    Enrolment,
    EnrolmentState,
    Erasure,
    Event,
    Item,
    Judgment,
    Message,
    Role,
    Study,
)
from annotation.record import erasures, sealing
from common import wording
from common.errors import BadInput

DAYS = 30


def move_to_trash(study: Study, *, typed: str, by: User | None, now: datetime) -> None:
    """Hide a study from everybody at once. Raises `BadInput` unless `typed` is its short name."""
    if typed.strip() != study.slug:
        raise BadInput(f"Nothing was changed. Type {study.slug}, the short name, to go on.")
    with transaction.atomic():
        if not Study.objects.filter(pk=study.pk, deleted=None).update(deleted=now):
            raise BadInput(f"“{study.slug}” has been put away already.")
        study.deleted = now
        Event.objects.create(study=study, actor=by, verb="put away", data={"state": study.state})


def trashed_for(user: User) -> QuerySet[Study]:
    """Return the studies in the trash that this person directed, the latest first; all for a superuser."""
    away = Study.objects.filter(deleted__isnull=False).order_by("-deleted")
    if user.is_superuser:
        return away
    own = Enrolment.objects.filter(user=user, role=Role.RESEARCHER, state=EnrolmentState.ACTIVE)
    return away.filter(pk__in=own.values("study"))


def restore_from_trash(study: Study, *, by: User | None, now: datetime) -> None:
    """Bring the study back as it was. Raises `BadInput` when it is not in the trash, or was for too long."""
    with transaction.atomic():
        since = now - timedelta(days=DAYS)
        if not Study.objects.filter(pk=study.pk, deleted__gt=since).update(deleted=None):
            raise BadInput(f"“{study.slug}” can no longer be brought back: that is possible for {DAYS} days.")
        Event.objects.create(study=study, actor=by, verb="brought back")


def restorable_until(study: Study) -> str:
    """Return the last day on which a study in the trash can be restored."""
    assert study.deleted is not None  # noqa: S101 - asked only of studies that are away
    return wording.day(study.deleted + timedelta(days=DAYS))


def purge(now: datetime) -> list[str]:
    """Delete for good what has been in the trash for thirty days; return the short names."""
    old = Study.objects.filter(deleted__lte=now - timedelta(days=DAYS)).order_by("pk")
    return [delete_for_good(study, now) for study in old]


def delete_for_good(study: Study, now: datetime) -> str:
    """Delete a study with all that belongs to it, in one transaction; one event remains."""
    sealing.try_to_seal()  # what was never sealed could go without a trace in the chain
    with transaction.atomic():
        judgments = Judgment.objects.filter(assignment__study=study)
        data = {
            "slug": study.slug,
            "title": study.title,
            "items": study.items.count(),
            "judgments": judgments.count(),
            "put_away": study.deleted and study.deleted.isoformat(),
        }
        announce(study, now)
        # What is protected goes before what protects it.
        Message.objects.filter(item__study=study).delete()
        Decision.objects.filter(item__study=study).delete()
        judgments.delete()
        Assignment.objects.filter(study=study).delete()
        study.items.update(replaces=None)
        Item.objects.filter(study=study).delete()
        Event.objects.filter(study=study).delete()
        Enrolment.objects.filter(study=study).delete()
        study.delete()
        Event.objects.create(study=None, actor=None, verb="purge", data=data)
    return str(data["slug"])


def announce(study: Study, now: datetime) -> None:
    """Say in the record what will be deleted: the database refuses to delete anything else."""
    people = study.enrolments.order_by("pk").values_list("pk", flat=True)
    everything = Erasure.Extent.ALL
    # One for each person, by which the database knows their judgments; the study's names the rows.
    Erasure.objects.bulk_create(
        Erasure(study=study.pk, enrolment=pk, extent=everything, keys={}, created=now) for pk in people
    )
    gone = {
        "judgment": Judgment.objects.filter(assignment__study=study),
        "decision": Decision.objects.filter(item__study=study),
        "event": Event.objects.filter(study=study),
    }
    erasures.announce(study, gone, extent=everything, now=now)

"""Withdrawal: a person's name is erased, and the consent they gave says whether their judgments stay.

Kept: the judgments stand under the pseudonym, which belongs to nobody any more. Dropped: the judgments
go, and their assignments are free again, so that the items can still get all their readings. Either way the
record says on which day how many judgments were kept or dropped, and every report repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.utils.translation import gettext as _

from annotation.access import RELEASED
from annotation.models import (
    EMPTY,
    Assignment,
    Enrolment,
    EnrolmentState,
    Erasure,
    Event,
    Judgment,
    Kind,
    Letter,
    Message,
    OutsideId,
    Role,
    Study,
)
from annotation.models.mail import address_digest
from annotation.people.leaving import discard_assignments
from annotation.record import erasures, sealing
from common.errors import BadInput


class Erased(NamedTuple):
    """What became of one person's part in a study.

    study, pseudonym: whose part.
    kept: whether the judgments stay.
    judgments: how many there were.
    account: whether the account was deleted too.
    """

    study: str
    pseudonym: str
    kept: bool
    judgments: int
    account: bool
    """Whether the account is gone too: it hung on nothing else."""


class Withdrawal(NamedTuple):
    """A withdrawal as reports repeat it.

    pseudonym: whose.
    at: when.
    kept: whether the judgments stay.
    judgments: how many there were.
    """

    pseudonym: str
    at: datetime
    kept: bool
    judgments: int


def erase(enrolment: Enrolment, *, now: datetime, drop: bool | None = None) -> Erased:
    """Take the person out of this study; the judgments stay or go as the consent says, unless `drop` says it.

    The account goes with its last enrolment. `BadInput`: gone already, or a researcher, whose acts
    are part of the study's history.
    """
    sealing.try_to_seal()  # what was never sealed could go without a trace in the chain
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=enrolment.study_id)
        me = Enrolment.objects.select_for_update(of=("self",), no_key=True).get(pk=enrolment.pk)
        check_erasable(me)
        kept = keeps_judgments(me) if drop is None else not drop
        user = me.user
        # Counted by revision: each is a thing they said.
        judgments = Judgment.objects.filter(annotator=me).count()
        announce(me, kept=kept, now=now)
        release_all(me, kept=kept)
        delete_words(me, kept=kept)
        Enrolment.objects.filter(pk=me.pk).update(user=None, state=EnrolmentState.WITHDRAWN)
        Event.objects.create(
            study=study,
            actor=None,
            verb="withdrawn",
            data={
                "pseudonym": me.pseudonym,
                "kept": kept,
                "judgments": judgments,
                "consent_version": me.consent_version,
                "at": now.isoformat(),
            },
        )
        Event.objects.filter(study=study, actor=user).update(actor=None)
        gone = user is not None and close_account(user)
    return Erased(study.slug, me.pseudonym, kept, judgments, gone)


def check_erasable(me: Enrolment) -> None:
    """Raise `BadInput` for somebody who has withdrawn already, and for a researcher."""
    if me.state == EnrolmentState.WITHDRAWN:
        said = _("{reader} has withdrawn from “{study}” already.")
        raise BadInput(said.format(reader=me.pseudonym, study=me.study.slug))
    if me.role == Role.RESEARCHER:
        raise BadInput(
            f"{me.pseudonym} directs “{me.study.slug}”: what a researcher did is part of the study’s "
            "history and cannot be erased."
        )


def keeps_judgments(enrolment: Enrolment) -> bool:
    """Return whether this reader's consent lets the judgments stay; where none was asked for, they stay."""
    if enrolment.consent_version is None:
        return True
    return enrolment.study.consents.get(version=enrolment.consent_version).keeps


def announce(me: Enrolment, *, kept: bool, now: datetime) -> None:
    """Say in the record what will be deleted: the database refuses to delete anything else."""
    gone: dict[str, QuerySet[Any]] = {"event": own_words(me, kept=kept)}
    if not kept:
        gone["judgment"] = Judgment.objects.filter(annotator=me)
    extent = Erasure.Extent.WORDS if kept else Erasure.Extent.ALL
    erasures.announce(me.study, gone, extent=extent, now=now, enrolment=me.pk)


def own_words(me: Enrolment, *, kept: bool) -> QuerySet[Event]:
    """Return the events that hold drafts; without `kept` also those of answers that came late."""
    gone = RELEASED if kept else (*RELEASED, "late")
    return Event.objects.filter(study=me.study_id, verb__in=gone, data__enrolment=me.pk)


def release_all(me: Enrolment, *, kept: bool) -> None:
    """Free all assignments the reader holds; without `kept`, delete the judgments and free what was done."""
    own = Assignment.objects.filter(annotator=me)
    discard_assignments(me)
    own.update(draft={}, draft_saved=None)
    if not kept:
        Judgment.objects.filter(annotator=me).delete()
        # Assignments at practice and check items are one reader's only: nobody else could use them.
        own.exclude(item__kind=Kind.WORK).delete()
        own.update(**EMPTY)


def delete_words(me: Enrolment, *, kept: bool) -> None:
    """Delete messages, drafts and outside id; answers that came late go only if the judgments go.

    Whoever stopped e-mail was promised that nothing more is sent to that address: its keyed digest stays.
    """
    Message.objects.filter(reader=me).delete()
    OutsideId.objects.filter(enrolment=me).delete()
    Letter.objects.filter(reader=me).delete()
    if me.user is not None:
        known = address_digest(me.user.email)
        Letter.objects.filter(study=me.study_id, about=known).delete()
    own_words(me, kept=kept).delete()


def close_account(user: User) -> bool:
    """Delete the account if nothing else needs it: other studies, books, jobs, decisions of staff."""
    if user.enrolments.exists() or user.is_staff or user.is_superuser:
        return False
    try:
        with transaction.atomic():
            Event.objects.filter(actor=user).update(actor=None)
            Message.objects.filter(author=user).update(author=None)
            key = user.pk
            user.delete()
    except ProtectedError:
        return False
    end_sessions(key)
    return True


def end_sessions(key: int) -> None:
    """Delete the sessions of the account with that key, lest they belong to a later account with the same
    key.
    """
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(key):
            session.delete()


def withdrawals(study: Study) -> Iterator[Withdrawal]:
    """Yield who has withdrawn from a study, in the order of time."""
    yield from map(withdrawal, study.events.filter(verb="withdrawn").order_by("pk"))


def withdrawal(event: Event) -> Withdrawal:
    """Read an event `withdrawn`."""
    said = event.data
    return Withdrawal(said["pseudonym"], datetime.fromisoformat(said["at"]), said["kept"], said["judgments"])

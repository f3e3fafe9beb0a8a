"""Leaving a study and coming back: a reader leaves, is removed, is let back in, or changes their role.

What they said stays. What they held is free for others at once.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.assignment.holding import IS_HELD, record_expiry
from annotation.models import EMPTY, Enrolment, EnrolmentState, Event, Kind, Role, Study
from annotation.people.enrolments import next_pseudonym, refuse_mixing
from common.errors import BadInput


def release_assignments(me: Enrolment) -> int:
    """Free the assignments this reader holds; return how many. Their drafts are kept as events."""
    with transaction.atomic():
        held = me.assignments.filter(IS_HELD)
        for assignment in held.filter(item__kind=Kind.WORK).select_related("annotator"):
            record_expiry(assignment, "given back")
        return discard_assignments(me)


def discard_assignments(me: Enrolment) -> int:
    """Free the assignments this reader holds; return how many. Their drafts are deleted."""
    with transaction.atomic():
        held = me.assignments.filter(IS_HELD)
        # Assignments at practice and check items are one reader's only: nobody else could use them.
        own, _ = held.exclude(item__kind=Kind.WORK).delete()
        return own + held.update(**EMPTY)


def leave(me: Enrolment, *, by: User | None) -> None:
    """End this person's part in the study. Raises `BadInput` for the last researcher."""
    with transaction.atomic():
        study, me = locked(me)
        keep_a_researcher(study, me)
        if not Enrolment.objects.filter(pk=me.pk, state=EnrolmentState.ACTIVE).update(
            state=EnrolmentState.LEFT
        ):
            said = _("{reader} has left “{study}” already.")
            raise BadInput(said.format(reader=me.pseudonym, study=study.slug))
        verb = "leave" if by is not None and by.pk == me.user_id else "remove"
        record_event(me, verb, by, places=release_assignments(me))


def readmit(me: Enrolment, *, by: User | None) -> None:
    """Let somebody who has left go on where they were."""
    with transaction.atomic():
        study, me = locked(me)
        if me.state != EnrolmentState.LEFT or me.user is None:
            raise BadInput(f"{me.pseudonym} has not left “{study.slug}”, or has withdrawn for good.")
        Enrolment.objects.filter(pk=me.pk).update(state=EnrolmentState.ACTIVE)
        record_event(me, "let in", by)


def skip_practice(me: Enrolment, *, by: User | None, now: datetime) -> None:
    """Let a reader begin the work without the pass mark."""
    with transaction.atomic():
        if not Enrolment.objects.filter(pk=me.pk, practised=None).update(practised=now):
            raise BadInput(f"{me.pseudonym} is past the practice already.")
        record_event(me, "let begin", by)


def change_role(me: Enrolment, role: str, *, by: User | None) -> Enrolment:
    """Give this person another role. Whoever has answered as a reader stays one: numbers count readers.

    A pseudonym says the role, so a new one is given. Raises `BadInput`.
    """
    with transaction.atomic():
        study, me = locked(me)
        if role not in Role.values:
            raise BadInput(f"There is no role “{role}”: use {', '.join(Role.values)}.")
        if role == me.role:
            return me
        keep_a_researcher(study, me)
        if me.judgments.exists() or me.decisions.exists():
            raise BadInput(
                f"{me.pseudonym} has given answers as {me.get_role_display().lower()}, which count as such: "
                "remove them from the study and invite them again with another account."
            )
        refuse_mixing(study, role, me.simulated)
        data = {"from": me.role, "to": role, "was": me.pseudonym}
        release_assignments(me)
        me.role, me.pseudonym = role, next_pseudonym(study, role)
        me.save(update_fields=["role", "pseudonym"])
        record_event(me, "role", by, **data)
    return me


def locked(me: Enrolment) -> tuple[Study, Enrolment]:
    """Return the study and the enrolment, both locked, as they are now."""
    study = Study.objects.select_for_update(no_key=True).get(pk=me.study_id)
    return study, Enrolment.objects.select_for_update(of=("self",), no_key=True).get(pk=me.pk)


def keep_a_researcher(study: Study, me: Enrolment) -> None:
    """Raise `BadInput` if the study would be left without a researcher."""
    others = study.enrolments.filter(role=Role.RESEARCHER, state=EnrolmentState.ACTIVE).exclude(pk=me.pk)
    if me.role == Role.RESEARCHER and not others.exists():
        said = _("{reader} is the only researcher of “{study}”: make another one first.")
        raise BadInput(said.format(reader=me.pseudonym, study=study.slug))


def record_event(me: Enrolment, verb: str, by: User | None, **data: object) -> None:
    """Write in the record what was done about this person."""
    what = {"pseudonym": me.pseudonym, **data}
    Event.objects.create(study_id=me.study_id, actor=by, verb=verb, data=what)

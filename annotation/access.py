"""Access to studies and assignments. The query is the permission check: foreign and unknown give the same
404.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import BigIntegerField, Q, QuerySet, Subquery
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import (
    Assignment,
    Consent,
    Enrolment,
    EnrolmentState,
    Event,
    Guideline,
    Role,
    State,
    Study,
    StudyTexts,
)
from common.composed import Composed, Given, together

Visitor = User | AnonymousUser
RELEASED = ("expired", "given back")
"""Events after which an assignment is its reader's no more."""


def studies_for(user: Visitor) -> QuerySet[Study]:
    """Return the studies this user directs: where they are a researcher; all for a superuser."""
    if not user.is_authenticated or not user.is_active:
        return Study.objects.none()
    # What is in the trash is hidden from everybody; `annotation.studies.trash` alone looks at it.
    there = Study.objects.filter(deleted=None)
    if user.is_superuser:
        return there
    own = Enrolment.objects.filter(user=user, role=Role.RESEARCHER, state=EnrolmentState.ACTIVE)
    return there.filter(pk__in=own.values("study"))


def workbenches_for(user: Visitor) -> QuerySet[Study]:
    """Return the studies whose workbench this user may use: those they direct; for staff also opened ones.

    Not where they have a part in it: who reads or adjudicates for a study sees no gold.
    """
    directed = studies_for(user)
    if not user.is_active or not user.is_staff or user.is_superuser:
        return directed
    opened = Study.objects.filter(deleted=None).exclude(state=State.DRAFT)
    elsewhere = opened.exclude(pk__in=Enrolment.objects.filter(user=user).values("study"))
    return Study.objects.filter(Q(pk__in=directed.values("pk")) | Q(pk__in=elsewhere.values("pk")))


def enrolments_for(user: Visitor) -> QuerySet[Enrolment]:
    """Return this user's active enrolments, in whatever role, with the study loaded."""
    if not user.is_authenticated or not user.is_active:
        return Enrolment.objects.none()
    return active_enrolments().filter(user=user).select_related("study").order_by("-study_id")


def active_enrolments() -> QuerySet[Enrolment]:
    """Return the enrolments of people who are in a study now; none in a study in the trash."""
    return Enrolment.objects.filter(state=EnrolmentState.ACTIVE, study__deleted=None)


def own_assignment() -> QuerySet[Assignment]:
    """Return the assignment that is asked for, where the user asked for holds it or has ended it."""
    own = active_enrolments().filter(user=Given("user"))
    return Assignment.objects.filter(annotator__in=own, pk=Given("pk")).order_by()


def own_study() -> Subquery:
    """Return the study of the same. None for a foreign one: a refusal reads no text of its study."""
    return Subquery(own_assignment().values("study"))


OWN_ASSIGNMENT = Composed(lambda: own_assignment().select_related("item", "annotator__study"))
# What `Study.latest_texts` asks: who asks for the assignment as well need not wait for it.
GUIDELINE_AT = Composed(lambda: Guideline.objects.filter(study=own_study()).order_by("-version")[:1])
CONSENT_AT = Composed(lambda: Consent.objects.filter(study=own_study()).order_by("-version")[:1])


def get_study(user: Visitor, slug: str) -> Study:
    """Return a study this user directs, or raise Http404."""
    return get_object_or_404(studies_for(user), slug=slug)


def get_workbench(user: Visitor, slug: str) -> tuple[Study, bool]:
    """Return a study whose workbench this user may use, and whether they direct it, or raise Http404."""
    directed = studies_for(user).filter(slug=slug).first()
    return (directed, True) if directed else (get_object_or_404(workbenches_for(user), slug=slug), False)


def get_enrolment(user: Visitor, slug: str) -> Enrolment:
    """Return this user's own enrolment in the study, or raise Http404."""
    return get_object_or_404(enrolments_for(user), study__slug=slug)


def get_adjudicator(user: Visitor, slug: str) -> Enrolment:
    """Return this user's enrolment as the study's adjudicator, or raise Http404."""
    return get_object_or_404(enrolments_for(user), study__slug=slug, role=Role.ADJUDICATOR)


def get_adjudicated_study(user: Visitor, slug: str) -> tuple[Study, bool]:
    """Return a study this user adjudicates or directs, and whether they adjudicate it, or raise Http404."""
    adjudicator = enrolments_for(user).filter(study__slug=slug, role=Role.ADJUDICATOR).first()
    return (adjudicator.study, True) if adjudicator else (get_study(user, slug), False)


def get_assignment(user: Visitor, pk: int) -> Assignment:
    """Return an assignment this user holds or has ended, with item, study and annotator loaded, or raise
    Http404.
    """
    return _own_assignment(user, pk)[0]


def _own_assignment(user: Visitor, pk: int, *beside: Composed[Any]) -> tuple[Assignment, list[Any]]:
    """Return this user's assignment, and the answers to what is asked of it beside, or raise Http404."""
    if not user.is_active or user.pk is None or pk > BigIntegerField.MAX_BIGINT:
        raise Http404
    questions = [each.asked(user=user.pk, pk=pk) for each in (OWN_ASSIGNMENT, *beside)]
    rows, *others = together(*questions)
    if not rows:
        raise Http404
    (found,) = rows
    assert found.annotator is not None  # noqa: S101 - the query asked for one
    found.study = found.annotator.study
    return found, others


def get_assignment_to_answer(user: Visitor, pk: int) -> tuple[Assignment, Enrolment]:
    """Return the assignment to which this user may send an answer: theirs, or theirs until it was released.

    For receiving answers only, so that none is lost: a lapsed assignment may be somebody
    else's by now, and its order and draft are then theirs. Raises Http404.
    """
    assignment, me, _ = _to_answer(user, pk)
    return assignment, me


def get_assignment_and_texts(user: Visitor, pk: int) -> tuple[Assignment, Enrolment, StudyTexts]:
    """Return the same and what its study tells and asks readers now, in one round trip where it is theirs."""
    assignment, me, texts = _to_answer(user, pk, GUIDELINE_AT, CONSENT_AT)
    if not texts:
        return assignment, me, assignment.study.latest_texts()
    guidelines, consents = texts
    return assignment, me, (next(iter(guidelines), None), next(iter(consents), None))


def _to_answer(user: Visitor, pk: int, *beside: Composed[Any]) -> tuple[Assignment, Enrolment, list[Any]]:
    """Return both, and the answers to what is asked beside: none where the assignment was released."""
    try:
        own, answers = _own_assignment(user, pk, *beside)
    except Http404:
        return *_released(user, pk), []
    assert own.annotator is not None  # noqa: S101 - the query asked for one
    return own, own.annotator, answers


def _released(user: Visitor, pk: int) -> tuple[Assignment, Enrolment]:
    """Return an assignment that this user held until it was released, or raise Http404."""
    assignment = Assignment.objects.select_related("item", "study").filter(pk=pk).first()
    if assignment is None or user.pk is None:
        raise Http404
    enrolment = enrolments_for(user).filter(study=assignment.study_id).first()
    held = Event.objects.filter(
        actor=user.pk, study=assignment.study_id, verb__in=RELEASED, data__assignment=pk
    )
    if enrolment is None or not held.exists():
        raise Http404
    assignment.draft, assignment.draft_saved = {}, None
    return assignment, enrolment

"""Who may see what. The query is the permission check: foreign and unknown look identical."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import Assignment, Enrolment, EnrolmentState, Event, Role, Study

Visitor = User | AnonymousUser


def studies_for(user: Visitor) -> QuerySet[Study]:
    """The studies this user directs: those where they are a researcher; all for a superuser."""
    if not user.is_authenticated or not user.is_active:
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    own = Enrolment.objects.filter(user=user, role=Role.RESEARCHER, state=EnrolmentState.ACTIVE)
    return Study.objects.filter(pk__in=own.values("study"))


def enrolments_for(user: Visitor) -> QuerySet[Enrolment]:
    """The studies this user takes part in, in whatever role, with the study at hand."""
    if not user.is_authenticated or not user.is_active:
        return Enrolment.objects.none()
    rows = Enrolment.objects.filter(user=user, state=EnrolmentState.ACTIVE)
    return rows.select_related("study").order_by("-study_id")


def get_study(user: Visitor, slug: str) -> Study:
    """A study this user directs, or Http404."""
    return get_object_or_404(studies_for(user), slug=slug)


def get_enrolment(user: Visitor, slug: str) -> Enrolment:
    """This user's own part in the study, or Http404."""
    return get_object_or_404(enrolments_for(user), study__slug=slug)


def get_assignment(user: Visitor, pk: int) -> Assignment:
    """A place this user holds or has ended, with item, study and annotator at hand, or Http404."""
    rows = Assignment.objects.filter(annotator__in=enrolments_for(user).order_by())
    return get_object_or_404(rows.select_related("item", "study", "annotator"), pk=pk)


def get_place(user: Visitor, pk: int) -> tuple[Assignment, Enrolment]:
    """Where an answer of this user may be sent: a place that is theirs or was until its lease ran out.

    For receiving answers only, so that none is lost: a lapsed place may be somebody
    else's by now, and its order and draft are then theirs. Raises Http404.
    """
    try:
        assignment = get_assignment(user, pk)
    except Http404:
        held = Event.objects.filter(actor=user.pk, verb="expired", data__assignment=pk)
        assignment = get_object_or_404(Assignment.objects.select_related("item", "study"), pk=pk)
        enrolment = enrolments_for(user).filter(study=assignment.study_id).first()
        if user.pk is None or enrolment is None or not held.filter(study=assignment.study_id).exists():
            raise
        return assignment, enrolment
    assert assignment.annotator is not None  # noqa: S101 - the query asked for one
    return assignment, assignment.annotator

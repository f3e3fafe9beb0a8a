"""What the tests of the researcher's pages share: Dora's study with Ada, Ben and Cleo in it."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.utils import timezone

from annotation.models import Assignment, AssignmentStatus, Judgment, Outcome


def judge(study, number, pseudonym, outcome=Outcome.ANSWER, option=0, revision=1, **fields):
    """One judgment at the reader's place at item `number`, taking the next free place where needed."""
    reader = study.enrolments.get(pseudonym=pseudonym)
    now = timezone.now()
    places = Assignment.objects.filter(study=study, item__number=number)
    place = places.filter(annotator=reader).first() or places.filter(status=AssignmentStatus.FREE).first()
    Assignment.objects.filter(pk=place.pk).update(
        annotator=reader, status=AssignmentStatus.DONE, claimed=now - timedelta(minutes=5)
    )
    return Judgment.objects.create(
        assignment=place,
        annotator=reader,
        revision=revision,
        outcome=outcome,
        answer={"option": option} if outcome == Outcome.ANSWER else None,
        guideline=study.guidelines.order_by("-version").first(),
        order=[0, 1, 2],
        submission=uuid.uuid4(),
        channel="web",
        created=now,
        **fields,
    )


def hold(study, number, pseudonym, **fields):
    place = Assignment.objects.filter(study=study, item__number=number, status=AssignmentStatus.FREE).first()
    Assignment.objects.filter(pk=place.pk).update(
        annotator=study.enrolments.get(pseudonym=pseudonym),
        status=AssignmentStatus.HELD,
        claimed=timezone.now(),
        lease_until=timezone.now() + timedelta(hours=1),
        **fields,
    )

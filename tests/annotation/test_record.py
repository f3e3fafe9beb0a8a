"""Judgments, events and guidelines are written once: by the model and by the database."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.models import Consent, Decision, Judgment
from tests import builders


def judgment(assignment, annotator, revision=1):
    return Judgment.objects.create(
        assignment=assignment,
        annotator=annotator,
        revision=revision,
        outcome="answer",
        answer={"option": revision},
        submission=uuid.uuid4(),
        channel="web",
        created=timezone.now(),
    )


@pytest.fixture
def first(ada):
    study = builders.study(items=1, overlap=1)
    return judgment(study.assignments.get(), builders.enrolment(study, ada))


def test_save_refuses_to_change_a_judgment(first):
    first.note = "on second thoughts"
    with pytest.raises(TypeError, match="append-only"):
        first.save()


def test_S14_the_database_refuses_an_update(first):
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Judgment.objects.filter(pk=first.pk).update(note="rewritten")
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE annotation_judgment SET revision = 9")
    assert Judgment.objects.get().note == ""


def test_the_current_judgment_is_the_highest_revision(first):
    second = judgment(first.assignment, first.annotator, revision=2)
    assert list(Judgment.objects.current()) == [second]
    assert Judgment.objects.count() == 2


def test_what_readers_agreed_to_cannot_be_rewritten(first):
    study = first.assignment.study
    Consent.objects.create(study=study, version=1, text="You may leave at any time.")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        study.consents.update(text="You may not leave.")
    assert study.latest_consent().text == "You may leave at any time."


def test_a_decision_cannot_be_rewritten(first, cleo):
    study = first.assignment.study
    made = Decision.objects.create(
        item=first.assignment.item,
        answer={"option": 1},
        adopted=first.pk,
        reason="The sense wants it.",
        adjudicator=builders.enrolment(study, cleo, role="adjudicator"),
        submission=uuid.uuid4(),
        created=timezone.now(),
    )
    made.answer = {"option": 0}
    with pytest.raises(TypeError, match="append-only"):
        made.save()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Decision.objects.filter(pk=made.pk).update(answer={"option": 0})
    assert Decision.objects.get().answer == {"option": 1}

"""A reader's own page: done, left, time, pace, earnings; and leaving in two steps."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.judging.taking_back import take_back
from annotation.models import Assignment, EnrolmentState, Judgment, Kind, Study
from annotation.reading.mine.own_page import own_numbers
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(ada, ben):
    return builders.read_by(ada, ben, items=6, overlap=1)


@pytest.fixture
def a(study, ada):
    return study.enrolments.get(user=ada)


def read_one(reader, seconds, days_ago=0, revision=0):
    place = next_assignment(reader, now=NOW)
    Assignment.objects.filter(pk=place.pk).update(
        claimed=NOW - timedelta(days=30), opened=NOW - timedelta(days=30)
    )
    place.refresh_from_db()
    sent = Submission(uuid.uuid4(), "answer", {"option": 1}, active_seconds=seconds)
    return submit(place, reader, sent, now=NOW - timedelta(days=days_ago))


def page(browser, name="own_page"):
    return browser.get(reverse(f"annotation:{name}", args=["fleet"]))


def test_the_numbers_are_the_readers_own(study, a, ben):
    read_one(study.enrolments.get(user=ben), 5)
    for seconds, days_ago in ((100, 10), (200, 1), (300, 0)):
        read_one(a, seconds, days_ago)
    own = own_numbers(a)
    assert (own.progress.done, own.left, own.this_week) == (3, 3, 2)
    assert (own.active, own.an_item, own.to_go, own.earned) == ("10 min", "3 min", "10 min", "")


def test_an_item_that_was_taken_back_is_not_done_this_week(study, a):
    read_one(a, 100, 3)
    last = read_one(a, 300)
    own = Assignment.objects.select_related("item", "study").get(pk=last.assignment_id)
    take_back(own, a, uuid.uuid4(), of=last.submission, now=NOW + timedelta(seconds=5))
    numbers = own_numbers(a)
    assert (numbers.progress.done, numbers.left, numbers.this_week) == (1, 5, 1)
    assert (numbers.active, numbers.last) == ("7 min", NOW), (
        "the time was worked, and taking back is no answer"
    )


def test_nothing_is_said_of_what_is_not_known(as_user, ada, study):
    text = page(as_user(ada)).text
    assert "not known yet" in text
    assert "Earned" not in text
    assert "Your pace" not in text


def test_what_is_earned_counts_every_item_and_no_practice(as_user, ada, study, a):
    study.items.filter(number=1).update(kind=Kind.PRACTICE)
    study.items.filter(number=2).update(kind=Kind.CHECK)
    Assignment.objects.filter(item__number__lte=2).delete()
    Study.objects.filter(pk=study.pk).update(rate="1234.50", currency="EUR", check_every=1, pass_mark=1)
    a.refresh_from_db()
    for _ in range(4):
        read_one(a, 60)
        a.refresh_from_db()
    assert set(Judgment.objects.values_list("assignment__item__kind", flat=True)) == {
        "practice",
        "check",
        "work",
    }
    assert own_numbers(a).earned == "3,703.50 EUR"
    assert "<strong>3,703.50 EUR</strong>, at 1234.50 EUR an item" in page(as_user(ada)).text


def test_leaving_asks_first_and_then_is_done(as_user, ada, study, a):
    read_one(a, 60)
    next_assignment(a, now=NOW)
    browser = as_user(ada)
    assert "The item you hold" in page(browser, "leave").text
    a.refresh_from_db()
    assert a.state == EnrolmentState.ACTIVE
    response = browser.post(reverse("annotation:leave", args=["fleet"]), follow=True)
    assert "You have left “Boats and their critics”." in response.text
    a.refresh_from_db()
    assert a.state == EnrolmentState.LEFT
    assert Judgment.objects.count() == 1
    assert page(browser).status_code == 404


def test_others_have_no_such_page(as_user, cleo, study):
    builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    assert page(as_user(cleo)).status_code == 404

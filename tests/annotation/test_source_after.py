"""The passages of an item in their book, read after the answer: from then on the answer stays."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import Stale, submit
from annotation.judging.submissions import Submission
from annotation.judging.taking_back import take_back
from annotation.models import Enrolment, Study
from annotation.studies.build import build_study
from annotation.studies.lifecycle import open_study
from retrieval.candidates import pipeline, submitting
from retrieval.models import Book
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()
STAYS = "your answer stays as it is"


@pytest.fixture
def place(ada, dora, stan):
    """Ada's first assignment, answered, in a study of a job's items that lets her read on."""
    book, by = builders.book(), builders.source()
    for first in (3, 11):
        builders.excerpt(book, by, first=first)
    job = submitting.submit(book, ranker="bm25", parameters={"negatives": 2}, by=stan)
    pipeline.attempt(job.pk, "test")
    made = build_study(slug="fleet", title="Fleet", task="choice", job=job, overlap=1, seed=7, by=dora).study
    Study.objects.filter(pk=made.pk).update(source_after=True)
    made.refresh_from_db()
    me = builders.enrolment(made, ada)
    open_study(made, by=dora, now=NOW)
    place = next_assignment(Enrolment.objects.get(pk=me.pk), now=NOW)
    say(place, 0)
    return place


def say(place, option, revision=0):
    sent = Submission(uuid.uuid4(), "answer", {"option": option}, revision=revision)
    return submit(place, place.annotator, sent, now=NOW)


def address(place):
    return reverse("annotation:source", args=[place.pk])


def test_it_is_asked_first_and_then_the_answer_stays(place, ada, as_user):
    browser = as_user(ada)
    assert address(place) in browser.get(place.get_absolute_url()).text
    assert "Read them in their book" in browser.get(address(place)).text
    say(place, 1, revision=1)
    text = browser.post(address(place), follow=True).text
    book = Book.objects.get()
    for option in place.item.payload["options"]:
        assert f"<mark>{option}</mark>" in text
    # A passage stands between the sentences that are around it in the book.
    first = next(each["first"] for each in place.item.provenance["options"] if each["first"])
    assert book.passage(first - 1, 1) in text
    assert "your answer</h2>" in text
    assert STAYS in browser.get(place.get_absolute_url()).text
    with pytest.raises(Stale, match=STAYS):
        say(place, 0, revision=2)
    last = place.judgments.order_by("revision").last()
    with pytest.raises(Stale, match=STAYS):
        take_back(place, place.annotator, uuid.uuid4(), of=last.submission, now=NOW)
    assert place.judgments.count() == 2
    browser.post(address(place))
    assert [event.data["number"] for event in place.study.events.filter(verb="source read")] == [1]


def test_a_book_that_was_corrected_since_shows_no_wrong_place(place, ada, as_user):
    Book.objects.update(sentences=[[0, 3]] * 30)
    text = as_user(ada).post(address(place), follow=True).text
    assert text.count("has been corrected since") == 3
    assert "<mark>" not in text


def test_an_item_without_a_book_has_the_same_link_and_says_so_behind_it(place, ada, as_user):
    builders.rewrite([place.item], provenance={})
    assert address(place) in as_user(ada).get(place.get_absolute_url()).text
    assert "no place can be shown" in as_user(ada).post(address(place), follow=True).text


@pytest.mark.parametrize("who", ["unanswered", "not allowed", "another reader"])
def test_nobody_else_reads_on(place, ada, ben, as_user, who):
    at, browser = address(place), as_user(ben if who == "another reader" else ada)
    if who == "not allowed":
        Study.objects.update(source_after=False)
    if who == "unanswered":
        at = address(next_assignment(place.annotator, now=NOW))
    assert browser.get(at).status_code == browser.post(at).status_code == 404

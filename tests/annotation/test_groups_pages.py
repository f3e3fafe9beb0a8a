"""A new group is announced on a page of its own and confirmed once; the item says where it stands in it."""

from __future__ import annotations

import re
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.models import Assignment, Consent, Enrolment, Judgment
from tests import builders, topics

pytestmark = pytest.mark.django_db
ANNOUNCED = "A new topic"
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def study(ada):
    made = topics.study(topics=2, documents=2)
    builders.enrolment(made, ada)
    return made


@pytest.fixture
def place(study, ada):
    return next_assignment(study.enrolments.get(user=ada), now=timezone.now())


def seen(browser, place, **headers):
    return browser.post(reverse("annotation:group_seen", args=[place.pk]), **headers)


def submitted(browser, place, grade="1", **headers):
    sent = {"submission": str(uuid.uuid4()), "revision": "0", "grade": grade, "answer": "1"}
    return browser.post(place.get_absolute_url(), sent, **headers)


def held(ada):
    return Assignment.objects.get(annotator__user=ada, status="held", put_off=None)


def test_a_topic_is_announced_before_its_first_document_and_looking_confirms_nothing(as_user, ada, place):
    browser = as_user(ada)
    for _ in range(2):
        page = browser.get(place.get_absolute_url()).text
        assert ANNOUNCED in page
        assert "lamps on fishing boats" in page
        assert "Its 2 documents come one after the other" in page
        assert 'name="grade"' not in page
        assert place.item.payload["document"]["text"][:30] not in page
    assert Enrolment.objects.get().group_seen == ""


def test_it_is_confirmed_once_with_and_without_scripts(as_user, ada, place):
    browser = as_user(ada)
    assert seen(browser, place)["Location"] == place.get_absolute_url()
    page = browser.get(place.get_absolute_url()).text
    assert ANNOUNCED not in page
    assert "Document 1 of 2 of this topic" in page
    assert 'name="grade"' in page
    assert "checked" not in page[page.index('<fieldset class="options') :]
    Enrolment.objects.update(group_seen="")
    assert 'name="grade"' in seen(browser, place, **HTMX).text


def test_within_a_topic_document_follows_document_and_the_next_topic_is_announced_again(as_user, ada, place):
    browser = as_user(ada)
    seen(browser, place)
    second = submitted(browser, place, **HTMX).text
    assert "Document 2 of 2 of this topic" in second
    announced = submitted(browser, held(ada), **HTMX)
    assert ANNOUNCED in announced.text
    assert "bread in lean winters" in announced.text
    assert "Saved." in announced.text
    assert announced["HX-Push-Url"] == held(ada).get_absolute_url()
    assert Enrolment.objects.get().group_seen == "t1"


def test_an_answer_without_the_announcement_is_kept_and_what_was_refused_is_shown(as_user, ada, place):
    browser = as_user(ada)
    refused = submitted(browser, place, grade="9")
    assert refused.status_code == 422
    assert 'name="grade"' in refused.text
    assert submitted(browser, place).status_code == 302
    assert Judgment.objects.get().answer == {"grade": 1}


def test_who_comes_back_to_a_topic_by_something_put_off_is_told_so(as_user, ada, place):
    browser = as_user(ada)
    seen(browser, place)
    second = reverse("annotation:later", args=[place.pk])
    browser.post(second)
    for _ in range(3):
        page = browser.get(held(ada).get_absolute_url()).text
        if ANNOUNCED in page:
            seen(browser, held(ada))
        submitted(browser, held(ada))
    back = browser.get(place.get_absolute_url()).text
    assert "You put a document of it off" in back
    assert "A new topic" not in back


def test_a_topic_that_was_left_and_comes_again_is_not_called_new(as_user, ada, place):
    browser = as_user(ada)
    seen(browser, place)
    submitted(browser, place)
    Enrolment.objects.update(group_seen="t2")
    page = browser.get(held(ada).get_absolute_url()).text
    assert "You have been at it before: document 2 of 2 comes now." in page
    assert "A new topic" not in page


def test_looking_back_at_another_topic_is_not_announced(as_user, ada, place):
    browser = as_user(ada)
    seen(browser, place)
    submitted(browser, place)
    submitted(browser, held(ada))
    seen(browser, held(ada))
    assert Enrolment.objects.get().group_seen == "t2"
    assert "Document 1 of 2 of this topic" in browser.get(place.get_absolute_url()).text


def test_what_waits_in_the_page_says_where_it_stands(as_user, ada, place):
    browser = as_user(ada)
    seen(browser, place)
    ahead = browser.get(reverse("annotation:prefetch", args=[place.pk]))
    assert "Document 2 of 2 of this topic" in ahead.text
    submitted(browser, place)
    assert browser.get(reverse("annotation:prefetch", args=[held(ada).pk])).status_code == 204


def test_every_grade_has_its_key_its_definition_and_an_example_and_no_rank_is_in_the_page(
    as_user, ada, place
):
    browser = as_user(ada)
    seen(browser, place)
    page = browser.get(place.get_absolute_url()).text
    assert re.findall(r'name="grade" value="(\d)" data-key="(\d)"', page) == [(n, n) for n in "01234"]
    for part in ("label", "meaning", "example"):
        assert page.count(f'class="grade-{part}"') == 5
    assert place.item.payload["document"]["id"] not in page
    assert 'data-key="?"' in page


def test_nobody_confirms_for_another(as_user, ben, place):
    assert seen(as_user(ben), place).status_code == 404


def test_a_consent_that_is_asked_for_meanwhile_comes_before_the_document(as_user, ada, study, place):
    Consent.objects.create(study=study, version=1, text="May we keep what you answer?")
    answer = seen(as_user(ada), place, **HTMX)
    assert place.item.payload["document"]["text"][:30] not in answer.text
    assert answer["HX-Redirect"] == place.get_absolute_url()
    asked = as_user(ada).get(place.get_absolute_url())
    assert asked["Location"] == reverse("annotation:consent", args=[study.slug])

"""The live page: for researchers, in a few queries, and silent while nothing changes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotation.models import Study
from annotation.people import withdrawal
from tests import builders
from tests.evaluation import relevant
from tests.evaluation.judged import judged
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
POLL = {"HX-Request": "true"}


@pytest.fixture
def address(dora):
    study = judged(["ggg", "gxu", "gbg", "g.."] * 3, by=dora, names=["Halimede", "Ivo", "Kim"])
    return reverse("evaluation:watch", args=[study.slug])


def test_the_page_says_how_far_it_is(dora, as_user, address):
    text = as_user(dora).get(address).content.decode()
    for said in (
        "30 of 36 given",
        "Randolph κ",
        "More items to ± 0.05",
        "Items by disagreement",
        "Favoured place",
    ):
        assert said in text
    assert f'hx-get="{address}"' in text
    assert "alimede" not in text, "pseudonyms only"


@pytest.mark.parametrize(("n_items", "careful"), [(12, True), (60, False)])
def test_a_plan_from_few_items_is_called_a_guess(dora, as_user, n_items, careful):
    votes = (["ggg", "gxu", "gbg", "g.."] if careful else ["ggg", "gxg", "gbg"]) * 20
    study = judged(votes[:n_items], by=dora, names=["Hal", "Ivo", "Kim"])
    text = as_user(dora).get(reverse("evaluation:watch", args=[study.slug])).text
    assert "about " in text
    assert ("From fewer than 60 items this is a guess" in text) == careful


def test_a_poll_gets_the_part_that_changes_and_304_while_nothing_has(dora, as_user, address):
    browser = as_user(dora)
    first = browser.get(address, headers=POLL)
    assert "<html" not in first.content.decode()
    assert first["Cache-Control"] == "private, no-cache"
    again = browser.get(address, headers={**POLL, "If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    study = builders.Study.objects.get(slug="fleet")
    builders.judgment(study, 4, study.enrolments.get(pseudonym="B"))
    changed = browser.get(address, headers={**POLL, "If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert "31 of 36 given" in changed.content.decode()


@pytest.mark.parametrize("headers", [{}, POLL])
def test_at_most_sixteen_queries(dora, as_user, address, headers, django_assert_max_num_queries):
    browser = as_user(dora)
    with django_assert_max_num_queries(16):
        assert browser.get(address, headers=headers).status_code == 200


def test_a_poll_that_finds_nothing_new_asks_three_times(dora, as_user, address, django_assert_num_queries):
    browser = as_user(dora)
    etag = browser.get(address, headers=POLL)["ETag"]
    with django_assert_num_queries(3):
        browser.get(address, headers={**POLL, "If-None-Match": etag})


def test_spans_have_no_favoured_place(dora, as_user):
    study = marked([(7, 12), (7, 13), (7, 12)], [(8, 9), "u", "n"], by=dora, names=["Hal", "Ivo", "Kim"])
    text = as_user(dora).get(reverse("evaluation:watch", args=[study.slug])).content.decode()
    assert "span_alpha" in text
    assert "how much more two spans on one item agree" in text
    assert "Favoured place" not in text


def test_a_draft_and_an_empty_study_say_so(dora, as_user):
    builders.study("draft", by=dora, state="draft")
    text = as_user(dora).get(reverse("evaluation:watch", args=["draft"])).content.decode()
    assert "the study has not been opened" in text
    assert "Nobody is enrolled to read" in text


def test_where_nobody_has_read_the_way_to_readers_is_shown(dora, as_user):
    builders.study("begun", by=dora)
    text = as_user(dora).get(reverse("evaluation:watch", args=["begun"])).text
    assert f'<a href="{reverse("annotation:invite", args=["begun"])}">an invitation</a>' in text
    assert "looks again every 15 seconds" in text
    Study.objects.filter(slug="begun").update(state="closed")
    text = as_user(dora).get(reverse("evaluation:watch", args=["begun"])).text
    assert "an invitation" not in text
    assert "looks again" not in text


def test_readers_and_strangers_find_nothing(ada, eve, stan, as_user, address):
    builders.enrolment(builders.Study.objects.get(slug="fleet"), ada, pseudonym="Z")
    for user in (ada, eve, stan):
        for headers in ({}, POLL):
            assert as_user(user).get(address, headers=headers).status_code == 404


def test_who_withdrew_is_told_with_the_day_wherever_numbers_stand(dora, as_user, address):
    browser, study = as_user(dora), builders.Study.objects.get(slug="fleet")
    etag = browser.get(address, headers=POLL)["ETag"]
    withdrawal.erase(study.enrolments.get(pseudonym="B"), now=datetime(2026, 3, 1, 12, tzinfo=UTC), drop=True)
    changed = browser.get(address, headers={**POLL, "If-None-Match": etag}).text
    assert "Reader B withdrew on 1 March 2026: nine judgments were dropped" in changed


def test_an_item_is_listed_with_what_tells_it_from_the_others(as_user, dora):
    study = relevant.judged({("t1", "d1"): "04", ("t1", "d2"): "22"}, by=dora)
    listed = as_user(dora).get(reverse("evaluation:watch", args=[study.slug])).text
    assert "Lamps of t1: The lamps of d1 stood on the wall." in listed
    decisions = as_user(dora).get(reverse("annotation:adjudicate", args=[study.slug])).text
    assert "Lamps of t1: The lamps of d2 stood on the wall." in decisions

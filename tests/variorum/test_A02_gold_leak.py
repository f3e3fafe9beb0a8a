"""A02: whatever a reader can reach, by pages or by the API, says nothing of gold, origins or colleagues."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.assignment import next_place
from annotation.judging import submit
from annotation.models import Item, Study
from annotation.submissions import Submission
from annotation.tokens import issue
from retrieval.models import Book, Candidate, CandidateJob, Excerpt
from tests.variorum.whole_site import addresses, browser_of, things, walk  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
CANARY = "zq-canary"
NUMBER = 8_675_309_421.25
"""In every secret field: the word in those that hold text, the number in those that hold numbers."""


@pytest.fixture(scope="module")
def secrets(things):  # noqa: F811
    """The canaries are where the secrets are."""
    for item in Item.objects.all():
        item.gold = {**item.gold, "why": f"{CANARY}-gold"}
        item.provenance = {"options": [{"rank": 4, "role": f"{CANARY}-role", "score": NUMBER}] * 3}
        item.save()
    Candidate.objects.update(scores={f"{CANARY}-ranker": NUMBER})
    Excerpt.objects.update(why=f"{CANARY}-why")
    CandidateJob.objects.update(code_version=f"{CANARY}-code", error=f"{CANARY}-error")
    Book.objects.update(licence=f"{CANARY}-licence")
    study = Study.objects.get(slug=things["study"])
    other = study.enrolments.get(user__username="ben")
    for number in range(2):
        said = {"outcome": "undecided", "reason": f"{CANARY}-reason"} if number else {
            "outcome": "answer", "data": {"option": 1}, "note": f"{CANARY}-note",
        }  # fmt: skip
        place = next_place(other, now=timezone.now())
        submit(place, other, Submission(uuid.uuid4(), **{"data": {}, **said}), now=timezone.now())
    issue(User.objects.get(username="dora"), f"{CANARY}-token", ["read"], timezone.now() + timedelta(days=1))
    return things


def told(address, response):
    """Everything a reply carries: its address, status, headers (ETag and all) and body."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return f"{address} {response.status_code} {dict(response.headers)} {body.decode()}"


def leaks(texts):
    # Ten digits: seven stand in some key of sixteen now and then.
    marks = (CANARY, str(NUMBER), f"{NUMBER:,}", "8675309421", "8,675,309,421")
    return [text[:300] for text in texts if any(mark in text for mark in marks)]


def reading(browser, secrets):
    """The whole study, page by page, with what htmx gets and what a refusal says."""
    begin, answers = f"/studies/{secrets['study']}/begin/", iter(["", "0", "1", "2"])
    for _ in range(8):
        where = browser.post(begin)["Location"]
        yield told(begin, browser.get(where))
        if "/work/" not in where:
            return
        form = {"submission": str(uuid.uuid4()), "revision": "0", "position": next(answers, "0")}
        for headers in ({}, {"HX-Request": "true"}):
            yield told(where, browser.get(where, headers=headers))
        yield told(where, browser.post(where, form, headers={"HX-Request": "true"}))
    raise AssertionError("The study has no end.")


@pytest.mark.parametrize("who", ["ada", "cleo", "eve", "anon"])
def test_no_page_that_can_be_reached_tells_a_secret(who, secrets):
    seen = [told(*each) for each in walk(browser_of(who), ["/", *addresses(secrets)])]
    assert len(seen) > 40
    assert leaks(seen) == []


def test_a_reader_who_does_the_whole_study_is_told_nothing(secrets):
    browser = browser_of("ada")
    seen = list(reading(browser, secrets))
    seen += [told(*each) for each in walk(browser, ["/", *addresses(secrets)])]
    assert leaks(seen) == []


def test_a_script_with_every_scope_of_a_reader_is_told_nothing(secrets):
    ada = User.objects.get(username="ada")
    _, plain = issue(ada, "a script", ["read", "judge", "jobs"], timezone.now() + timedelta(days=1))
    browser = Client(headers={"Authorization": f"Bearer {plain}"})
    seen = [told(each, browser.get(each)) for each in addresses(secrets) if each.startswith("/api/")]
    for position in range(4):
        place = browser.post(f"/api/v1/studies/{secrets['study']}/next/")
        seen.append(told("next", place))
        if place.status_code == 204:
            break
        body = {"submission": str(uuid.uuid4()), "answer": {"position": position % 3}}
        where = f"/api/v1/places/{place.json()['id']}/judgment/"
        seen.append(told(where, browser.post(where, {**body, "answer": {}}, content_type="application/json")))
        seen.append(told(where, browser.post(where, body, content_type="application/json")))
    assert place.status_code == 204
    assert leaks(seen) == []


def test_the_canaries_are_seen_where_they_may_be(secrets):
    """Or the tests above would pass with their eyes shut."""
    seen = [told(*each) for each in walk(browser_of("dora"), addresses(secrets))]
    found = json.dumps(seen)
    for secret in ("role", "reason", "note", "token", "why"):
        assert f"{CANARY}-{secret}" in found, secret
    assert str(NUMBER) in found or "8675309421" in found

"""Marks where nobody may see them: whatever a reader can reach is searched for them."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Item, Study
from annotation.people.tokens import issue
from retrieval.models import Book, Candidate, CandidateJob, Excerpt

CANARY = "zq-canary"
NUMBER = 8_675_309_421.25
"""In every secret field: the word in those that hold text, the number in those that hold numbers."""


@pytest.fixture(scope="module")
def secrets(things):
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
        place = next_assignment(other, now=timezone.now())
        submit(place, other, Submission(uuid.uuid4(), **{"data": {}, **said}), now=timezone.now())
    issue(User.objects.get(username="dora"), f"{CANARY}-token", ["read"], timezone.now() + timedelta(days=1))
    return things


def told(address, response):
    """Everything a reply carries: its address, status, headers (ETag and all) and body."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return f"{address} {response.status_code} {dict(response.headers)} {body.decode(errors='replace')}"


def leaks(texts):
    # Ten digits: seven stand in some key of sixteen now and then.
    marks = (CANARY, str(NUMBER), f"{NUMBER:,}", "8675309421", "8,675,309,421")
    return [text[:300] for text in texts if any(mark in text for mark in marks)]

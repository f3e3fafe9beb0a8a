"""A reader's notebook: their own answers, notes and messages, to be searched, printed and kept."""

from __future__ import annotations

import csv
import io
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging import messages
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from tests import builders

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(ada, ben, dora):
    """Ada answers twice, with a note; says of her second item why it cannot be decided. Ben writes, too."""
    study = builders.read_by(ada, ben, items=3, overlap=2)
    a, b = study.enrolments.get(user=ada), study.enrolments.get(user=ben)
    say(a, Submission(uuid.uuid4(), "answer", {"option": 0}, note="=first Café thought"))
    second = next_assignment(a, now=NOW)
    say(a, Submission(uuid.uuid4(), "undecided", {}, reason="two of them fit"), second)
    say(b, Submission(uuid.uuid4(), "answer", {"option": 1}, note="Ben's own secret"))
    first = a.judgments.get(revision=1, outcome="answer").assignment
    say(a, Submission(uuid.uuid4(), "answer", {"option": 1}, revision=1), first)
    messages.send(first.item, a, "See page nine.", by=dora, from_researcher=True, now=NOW)
    return study


def say(reader, sent, assignment=None):
    return submit(assignment or next_assignment(reader, now=NOW), reader, sent, now=NOW)


def get(browser, name="notebook", *args, **query):
    return browser.get(reverse(f"annotation:{name}", args=["fleet", *args]), query)


def test_it_holds_what_one_said_and_was_told_and_nothing_of_others(as_user, ada, study):
    text = get(as_user(ada)).text
    assert text.index("Item 2") < text.index("Item 1")
    for words in ("two of them fit", "first Café thought", "See page nine.", "Before, "):
        assert words in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "CAFE  thought"}, {1}), ({"q": "page nine"}, {1}), ({"q": "fit"}, {2}),
        ({"q": "secret"}, set()),
        ({"written": "1"}, {1}), ({"all": "1"}, {1, 2}), ({"page": "9"}, {1, 2}),
    ],
)  # fmt: skip
def test_it_is_searched_without_case_and_accents(as_user, ada, study, query, found):
    shown = get(as_user(ada), **query).context["page"]
    assert {entry.number for entry in shown} == found


def test_it_is_kept_as_a_text_in_the_order_of_reading_and_as_a_table(as_user, ada, study):
    text = get(as_user(ada), "notebook_file", "txt").text
    assert text.index("Item 1") < text.index("See page nine.") < text.index("Item 2\n")
    reply = get(as_user(ada), "notebook_file", "csv")
    assert reply["Content-Disposition"] == 'attachment; filename="notebook-fleet.csv"'
    table = list(csv.DictReader(io.StringIO(reply.text)))
    assert [(row["item"], row["current"], row["said"]) for row in table] == [
        ("2", "true", "Can’t decide"), ("1", "true", "Answer"), ("1", "false", "Answer"),
    ]  # fmt: skip
    # No spreadsheet calculates what a reader wrote.
    assert table[2]["note"].startswith("'=first")
    assert "secret" not in text + reply.text
    assert get(as_user(ada), "notebook_file", "doc").status_code == 404


def test_who_has_answered_nothing_is_told_what_will_stand_here(as_user, cleo, ada, study):
    builders.enrolment(study, cleo)
    assert "Nothing yet" in get(as_user(cleo)).text
    assert get(as_user(cleo), "notebook_file", "txt").text.startswith("Your notebook: ")

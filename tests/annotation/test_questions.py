"""The optional questions: how sure, and whence. Checked at both doors, kept, exported, shown."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.export import judgments
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Judgment, Kind, Study
from annotation.people.tokens import issue
from annotation.tasktypes.base import Invalid
from tests import builders
from tests.builders import pick

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study(ada, dora):
    made = builders.study(items=3, overlap=1, by=dora)
    builders.enrolment(made, ada)
    Study.objects.filter(pk=made.pk).update(ask_confidence=True, ask_basis=True)
    return made


@pytest.fixture
def place(study):
    return next_assignment(study.enrolments.get(role="annotator"), now=NOW)


def post(browser, place, **said):
    form = {"submission": str(uuid.uuid4()), "revision": "0", **pick(place, 1), **said}
    return browser.post(place.get_absolute_url(), form)


def test_both_are_asked_by_one_key_each_and_stored(as_user, ada, place):
    page = as_user(ada).get(place.get_absolute_url()).text
    assert page.count('name="confidence"') == 5
    assert page.count('name="basis"') == 3
    assert 'value="5" data-key="t"' in page
    assert 'value="guessed" data-key="g"' in page
    assert "checked" not in page[page.index('<fieldset class="asked"') : page.index("data-submit")]
    post(as_user(ada), place, confidence="4", basis="worked_out")
    judgment = Judgment.objects.get()
    assert (judgment.confidence, judgment.basis) == (4, "worked_out")
    again = as_user(ada).get(place.get_absolute_url()).text
    assert 'name="confidence" value="4" data-key="r" data-answer checked' in again


def test_neither_must_be_answered(as_user, ada, place):
    post(as_user(ada), place)
    judgment = Judgment.objects.get()
    assert (judgment.confidence, judgment.basis) == (None, "")


def test_nothing_is_asked_where_the_study_does_not_ask(as_user, ada, place):
    Study.objects.update(ask_confidence=False, ask_basis=False)
    assert 'name="confidence"' not in as_user(ada).get(place.get_absolute_url()).text
    response = post(as_user(ada), place, confidence="4")
    assert response.status_code == 422
    assert "does not ask how sure" in response.text
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "said", [{"confidence": "6"}, {"confidence": "0"}, {"confidence": "x"}, {"basis": "dreamt"}]
)
def test_what_is_no_answer_is_refused_by_the_form(as_user, ada, place, said):
    response = post(as_user(ada), place, **said)
    assert response.status_code == 422
    assert f'href="#{next(iter(said))}-{place.pk}"' in response.text
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("said", "field"),
    [({"confidence": 6}, "confidence"), ({"confidence": True}, "confidence"), ({"basis": "dreamt"}, "basis")],
)
def test_and_by_the_rule_below_every_door(place, said, field):
    with pytest.raises(Invalid) as refused:
        submit(place, place.annotator, Submission(uuid.uuid4(), "answer", {"option": 1}, **said), now=NOW)
    assert refused.value.field == field


def test_a_script_answers_them_too(client, ada, place):
    _, plain = issue(ada, "script", ["judge"], timezone.now() + timedelta(days=1))
    headers = {"Authorization": f"Bearer {plain}"}
    where = f"/api/v1/assignments/{place.pk}/judgment/"
    body = {"submission": str(uuid.uuid4()), "answer": {"position": 1}, "basis": "guessed"}

    def send(confidence):
        return client.post(
            where, {**body, "confidence": confidence}, content_type="application/json", headers=headers
        )

    assert "confidence" in send(9).json()
    reply = send(2)
    assert reply.status_code == 201
    assert (reply.json()["confidence"], reply.json()["basis"], reply.json()["item"]) == (2, "guessed", 1)


def test_beside_another_act_they_are_leftovers_of_the_form(as_user, ada, place):
    post(as_user(ada), place, confidence="4", basis="guessed", undecided="More than one fits")
    judgment = Judgment.objects.get()
    assert (judgment.outcome, judgment.confidence, judgment.basis) == ("undecided", None, "")


def test_a_repeated_form_that_says_another_confidence_is_told(as_user, ada, place):
    same = str(uuid.uuid4())
    assert post(as_user(ada), place, submission=same, confidence="4").status_code == 302
    assert post(as_user(ada), place, submission=same, confidence="4").status_code == 302
    assert post(as_user(ada), place, submission=same, confidence="5").status_code == 409
    assert Judgment.objects.count() == 1


def test_the_researcher_reads_them_on_the_item_and_in_the_export(as_user, ada, dora, study, place):
    post(as_user(ada), place, confidence="5", basis="recognised")
    page = as_user(dora).get(reverse("annotation:item", args=[study.slug, place.item.number])).text
    assert "Sure: 5 of 5; I recognised it" in page
    row = json.loads(next(judgments.export(study, "jsonl", by=None)))
    assert (row["confidence"], row["basis"], row["consent"]) == (5, "recognised", None)


def test_the_export_holds_the_work_and_the_rest_when_asked(as_user, ada, dora, study, place):
    post(as_user(ada), place)
    study.items.filter(number=2).update(kind=Kind.CHECK)
    other = Assignment.objects.get(item__number=2)
    reader = study.enrolments.get(role="annotator")
    Assignment.objects.filter(pk=other.pk).update(
        annotator=reader, status="held", claimed=NOW, lease_until=NOW
    )
    other.refresh_from_db()
    submit(other, reader, Submission(uuid.uuid4(), "answer", {"option": 1}), now=NOW)
    assert [json.loads(line)["kind"] for line in judgments.export(study, "jsonl", by=None)] == ["work"]
    every = judgments.export(study, "jsonl", by=None, every_kind=True)
    assert [json.loads(line)["kind"] for line in every] == ["work", "check"]
    where = reverse("annotation:export", args=[study.slug])
    assert "With 1 judgment of practice and check items" in as_user(dora).get(where).text
    sent = as_user(dora).post(where, {"format": "jsonl", "every_kind": "on"})
    assert len(b"".join(sent.streaming_content).splitlines()) == 2

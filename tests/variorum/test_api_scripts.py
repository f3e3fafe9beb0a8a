"""What a script does from the first study to the numbers; keys that make a request happen once."""

from __future__ import annotations

import threading
from datetime import timedelta
from http import HTTPStatus

import pytest
from django.db import connection, connections
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.api.changing import StudyChangesSerializer
from annotation.api.shapes import StudySerializer
from annotation.assignment.claiming import next_assignment
from annotation.manage.forms.steps import STEPS
from annotation.models import Event, Invitation, Item, Study
from annotation.people.tokens import issue
from tests import builders
from variorum.api import idempotency
from variorum.models import KeptAnswer

AT = "/api/v1/studies/"
NEW = {"slug": "tide", "title": "Tide", "task": "choice", "overlap": 1, "seed": 7, "guidelines": "Read."}


def script(user, *scopes):
    client = APIClient()
    _, plain = issue(user, "a script", scopes, timezone.now() + timedelta(days=1))
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}")
    return client


def line(number, **more):
    return {
        "left": [f"Boat {number} put out."],
        "right": ["So it was."],
        "options": ["The tide rose.", "The tide fell.", "No tide at all."],
        "gold": {"option": 0},
        **more,
    }


def post(client, path, body=None, key=None):
    said = {"HTTP_IDEMPOTENCY_KEY": key} if key is not None else {}
    return client.post(f"{AT}{path}", body or {}, format="json", **said)


def test_a_script_sets_a_study_up_opens_it_and_reads_what_was_said(dora, ada):
    client = script(dora, "direct", "read")
    made = post(client, "", NEW)
    assert (made.status_code, made.json()["state"], made.json()["items"]) == (201, "draft", 0)
    early = post(client, "tide/open/")
    assert (early.status_code, "has no items" in early.json()["detail"]) == (409, True)
    added = post(client, "tide/items/", {"items": [line(1), line(2), line(3, kind="practice")]})
    assert (added.status_code, added.json()) == (201, {"new": 3, "known": 0})
    assert post(client, "tide/items/", {"items": [line(1)]}).json() == {"new": 0, "known": 1}
    link = post(client, "tide/invitations/", {"seats": 2, "days": 3}).json()
    assert link["address"].startswith("http://testserver/join/#")
    reader = builders.enrolment(Study.objects.get(slug="tide"), ada)
    assert post(client, "tide/open/").json()["assignments"] == 2
    report = client.get(f"{AT}tide/report/").json()
    assert (report["study"], bool(report["problem"])) == ("tide", True)
    assert client.get(f"{AT}tide/figures/").json() == []
    assert client.get(f"{AT}tide/report/?format=csv")["Content-Type"].startswith("text/csv")
    (person,) = client.get(f"{AT}tide/people/?role=annotator").json()["results"]
    assert (person["pseudonym"], "ada" in str(person).lower()) == (reader.pseudonym, False)
    reading = script(ada, "judge")
    for n in range(3):
        place = post(reading, "tide/next/").json()
        sent = {"submission": f"00000000-0000-4000-8000-00000000000{n}", "answer": {"position": 0}}
        assert (
            reading.post(f"/api/v1/assignments/{place['id']}/judgment/", sent, format="json").status_code
            == 201
        )
    rows = client.get(f"{AT}tide/assignments/?status=done").json()["results"]
    assert sorted((each["item"], each["pseudonym"]) for each in rows) == [(1, "A"), (2, "A"), (3, "A")]
    said = client.get(f"{AT}tide/judgments/?kind=work").json()["results"]
    assert [each["kind"] for each in said] == ["work", "work"]
    assert all(each["correct"] == (each["answer"] == each["gold"]) for each in said)
    assert post(client, "tide/close/").json()["state"] == "closed"
    assert post(client, "tide/invitations/").status_code == 409
    verbs = list(Event.objects.filter(study__slug="tide", actor=dora).values_list("verb", flat=True))
    assert {"build", "invite", "open", "close"} <= set(verbs)


def test_an_open_study_takes_items_that_are_given_out_at_once(dora, ada):
    study, client = builders.study("fleet", items=1, overlap=1, by=dora), script(dora, "direct")
    reader = builders.enrolment(study, ada)
    builders.judgment(study, 1, reader)
    shown = "The tide rose over the quay before anybody in the town had seen it."
    sent = {"items": [line(7, options=[shown, "No tide.", "None at all."]), line(8, left=[shown])]}
    printed = post(client, "fleet/items/", sent)
    assert (printed.status_code, "could be found without reading" in printed.json()["detail"]) == (409, True)
    late = post(client, "fleet/items/", {"items": [line(9, kind="practice")]})
    assert (late.status_code, "for practice cannot be added" in late.json()["detail"]) == (409, True)
    wrong = post(client, "fleet/items/", {"items": [line(7), {}]})
    assert (wrong.status_code, wrong.json()["items"][0][:6]) == (400, "item 2")
    assert (study.items.count(), study.assignments.count()) == (1, 1)
    added = post(client, "fleet/items/", sent | {"printed": True})
    assert (added.status_code, added.json()) == (201, {"new": 2, "known": 0})
    assert post(client, "fleet/items/", sent).json() == {"new": 0, "known": 2}
    event = study.events.get(verb="add items")
    assert (event.actor, event.data["first"], event.data["last"], event.data["given"]) == (dora, 2, 3, 1)
    assert next_assignment(reader, now=timezone.now()).item.number == 2
    post(client, "fleet/close/")
    closed = post(client, "fleet/items/", {"items": [line(9)]})
    assert (closed.status_code, "is closed" in closed.json()["detail"]) == (409, True)


def test_judgments_are_told_by_revision_kind_and_time(dora, ada):
    study = builders.study("fleet", items=1, overlap=1, by=dora)
    builders.enrolment(study, ada)
    reading, client = script(ada, "judge"), script(dora, "read")
    place = post(reading, "fleet/next/").json()
    for revision in (0, 1):
        sent = {"submission": f"00000000-0000-4000-8000-00000000000{revision}", "revision": revision}
        address = f"/api/v1/assignments/{place['id']}/judgment/"
        assert (
            reading.post(address, {**sent, "answer": {"position": revision}}, format="json").status_code
            == 201
        )

    def told(query):
        found = client.get(f"{AT}fleet/judgments/?{query}").json()["results"]
        return [(each["revision"], each["current"]) for each in found]

    assert told("") == told("current=true") == [(2, True)]
    assert told("current=false") == [(1, False)]
    assert told("current=any") == [(1, False), (2, True)]
    assert told("kind=practice") == told("since=2999-01-01T00:00:00Z") == []
    assert told("since=2000-01-01T00:00:00Z") == [(2, True)]
    assert client.get(f"{AT}fleet/judgments/?since=yesterday").json() == {
        "since": ["Enter a valid date/time."]
    }
    assert told("since=0001-01-01T00:00:00Z") == [(2, True)]
    for moment in ("9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00%2B01:00"):
        beyond = client.get(f"{AT}fleet/judgments/?since={moment}")
        said = "Enter a moment of the years 1 to 9999, in UTC."
        assert (beyond.status_code, beyond.json()) == (400, {"since": [said]})


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        pytest.param("", {**NEW, "slug": "fleet"}, 409, "detail", id="taken"),
        pytest.param("", {**NEW, "slug": "new"}, 400, "slug", id="reserved"),
        pytest.param("", {**NEW, "overlap": 0}, 400, "overlap", id="overlap"),
        pytest.param("", {**NEW, "state": "open"}, 400, "state", id="unknown field"),
        pytest.param("", {**NEW, "job": 99}, 400, "job", id="no job"),
        pytest.param("", {**NEW, "beyond": 99}, 400, "beyond", id="a rank without a job"),
        pytest.param("draft/items/", {"items": [line(1), {}]}, 400, "items", id="an item that is none"),
        pytest.param("draft/items/", {"items": ["x"]}, 400, "items.0", id="no object"),
        pytest.param("draft/items/", {"items": [line(1), line(1)]}, 400, "items", id="twice"),
        pytest.param("draft/items/", {"items": [line(1)], "template": "x"}, 400, "items", id="no template"),
        pytest.param("fleet/people/R1/act/", {"act": "remove"}, 409, "detail", id="the last researcher"),
        pytest.param("fleet/people/R1/act/", {"act": "role"}, 400, "role", id="no role"),
        pytest.param("fleet/invitations/", {"seats": 0}, 400, "seats", id="no seat"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field_and_nothing_is_stored(dora, path, body, status, field):
    builders.study("fleet", items=1, overlap=1, by=dora)
    builders.study("draft", items=0, overlap=1, by=dora, state="draft")
    before = [each.objects.count() for each in (Study, Item, Invitation, Event)]
    said = post(script(dora, "direct"), path, body)
    assert (said.status_code, list(said.json())) == (status, [field])
    assert [each.objects.count() for each in (Study, Item, Invitation, Event)] == before


def test_scripts_read_and_change_every_setting_that_a_step_has():
    settings = {name for form in STEPS.values() for name in form._meta.fields}
    assert set(StudyChangesSerializer().fields) == settings
    assert settings <= set(StudySerializer.Meta.fields)


def test_the_settings_of_a_draft_are_changed_all_or_none(dora, ada):
    study = builders.study("tide", state="draft", by=dora)
    client = script(dora, "direct", "read")
    at = f"{AT}tide/"
    new = {
        "title": "Ebb", "overlap": 2, "filling": "breadth", "quota": 30, "ask_basis": True, "rate": "0.25",
        "currency": "EUR", "option_order": "canonical", "seed": 2**63 - 1,
    }  # fmt: skip
    told = client.patch(at, new, format="json")
    assert (told.status_code, {name: told.json()[name] for name in new}) == (200, new)
    assert Event.objects.filter(study=study, verb="settings").count() == 3
    for wrong, field in (
        ({"title": "Neap", "rate": "-1"}, "rate"),
        ({"title": "Neap", "pass_mark": 3}, "pass_mark"),
        ({"title": "Neap", "earlier_answers": True}, "earlier_answers"),
        ({"title": "Neap", "state": "open"}, "state"),
        ({"title": "Neap", "quota": 0}, "quota"),
    ):
        refused = client.patch(at, wrong, format="json")
        assert (refused.status_code, list(refused.json())) == (400, [field])
    builders.enrolment(study, ada)
    Study.objects.filter(pk=study.pk).update(state="open")
    late = client.patch(at, {"title": "Neap", "overlap": 3}, format="json")
    said = "overlap can be changed in a draft only, and this study is open."
    assert (late.status_code, late.json()["detail"]) == (409, said)
    assert client.get(at).json()["title"] == "Ebb"
    assert client.patch(at, {"title": "Neap", "quota": None}, format="json").json()["quota"] is None
    assert script(dora, "read").patch(at, {"title": "Spring"}, format="json").status_code == 403
    assert script(ada, "direct").patch(at, {"title": "Spring"}, format="json").status_code == 404


def test_reading_scopes_set_nothing_up_and_readers_nothing_at_all(dora, ada):
    assert post(script(dora, "read"), "", NEW).status_code == 403
    refused = post(script(ada, "direct"), "", NEW)
    assert (refused.status_code, refused.json()) == (403, {"detail": "Only researchers may set up studies."})
    builders.study("fleet", items=1, overlap=1, by=dora)
    for path in ("open/", "close/", "items/", "invitations/", "webhooks/", "people/R1/act/"):
        assert post(script(dora, "read"), f"fleet/{path}").status_code == 403
        assert post(script(ada, "direct"), f"fleet/{path}").status_code == 404


@pytest.mark.parametrize("query", ["page_size=0", "page_size=1001", "page_size=x", "cursor=x", "format=json"])
def test_pages_are_as_long_as_asked_or_refused(dora, query):
    said = script(dora, "read").get(f"{AT}?{query}")
    assert (said.status_code, list(said.json())) == (400, [query.partition("=")[0]])


@pytest.mark.parametrize("query", ["kind=", "current=", "since=", "item=", "pseudonym=", "kind=work&kind="])
def test_an_empty_filter_is_refused_and_does_not_give_all_rows(dora, ada, query):
    study = builders.study("fleet", items=1, overlap=1, by=dora)
    builders.judgment(study, 1, builders.enrolment(study, ada))
    client = script(dora, "read")
    said = client.get(f"{AT}fleet/judgments/?{query}")
    assert (said.status_code, list(said.json())) == (400, [query.partition("=")[0]])
    assert client.get(f"{AT}fleet/judgments/?pseudonym=%20").json()["results"] == []
    assert len(client.get(f"{AT}fleet/judgments/").json()["results"]) == 1


@pytest.mark.parametrize(
    "address", ["studies/fleet/", "studies/fleet/people/R1/", "jobs/1/", "books/x/search/"]
)
def test_no_address_takes_a_parameter_that_the_schema_does_not_name(dora, address):
    builders.study("fleet", items=0, overlap=1, by=dora)
    said = script(dora, "read").get(f"/api/v1/{address}?verbose=1")
    assert list(said.json()) == ["verbose"] or said.status_code == 405


@pytest.mark.parametrize("path", ["/api/v1/nothing/", "/api/nothing", "/api/v1/studies/fleet/nothing/"])
def test_every_404_is_json(db, client, path):
    said = client.get(path, headers={"Accept": "text/html"})
    assert (said.status_code, said["Content-Type"], list(said.json())) == (
        404,
        "application/json",
        ["detail"],
    )


def test_nothing_that_is_sent_is_lost_by_a_redirect(dora):
    """Who follows one asks for the list of studies, and takes its 200 for a study made."""
    client = script(dora, "direct", "read")
    said = client.post(AT.removesuffix("/"), NEW, format="json")
    assert (said.status_code, "addresses end in a slash" in said.json()["detail"]) == (404, True)
    asked = client.get(AT.removesuffix("/"))
    assert (asked.status_code, asked["Location"]) == (301, AT)


def test_a_key_makes_one_study_of_two_requests(dora):
    client = script(dora, "direct")
    first, second = (post(client, "", NEW, "monday") for _ in range(2))
    assert (first.status_code, second.status_code, first.content == second.content) == (201, 201, True)
    assert (second["Idempotency-Replayed"], "Idempotency-Replayed" in first) == ("true", False)
    assert second["Content-Type"] == "application/json"
    other = post(client, "", {**NEW, "title": "Ebb"}, "monday")
    assert (other.status_code, "sent before" in other.json()["detail"]) == (422, True)
    elsewhere = post(client, "tide/open/", NEW, "monday")
    assert elsewhere.status_code == 422
    # Another token of hers does not get what this one was told.
    assert post(script(dora, "direct"), "", NEW, "monday").status_code == 409


def test_a_refused_request_may_be_mended_under_its_key_and_old_answers_go(dora, monkeypatch):
    client = script(dora, "direct")
    assert post(client, "", {**NEW, "overlap": 0}, "k").status_code == 400
    assert post(client, "", NEW, "k").status_code == 201
    monkeypatch.setattr(idempotency, "KEPT", timedelta(0))
    assert post(client, "", NEW, "k").status_code == 409
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "ü"])
def test_a_key_that_is_none_is_refused(dora, key):
    said = post(script(dora, "direct"), "", NEW, key)
    assert (said.status_code, list(said.json())) == (400, ["Idempotency-Key"])
    assert not Study.objects.exists()


def test_a_revoked_token_gets_no_stored_answer(dora):
    token, plain = issue(dora, "a script", ["direct"], timezone.now() + timedelta(days=1))
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}")
    assert post(client, "", NEW, "k").status_code == 201
    token.revoked = timezone.now()
    token.save()
    assert post(client, "", NEW, "k").status_code == 401


def test_a_request_under_way_is_not_begun_again(dora):
    client = script(dora, "direct")
    assert post(client, "", NEW, "k").status_code == 201
    KeptAnswer.objects.update(status=None)
    said = post(client, "", NEW, "k")
    assert (said.status_code, said["Retry-After"]) == (409, "1")
    assert KeptAnswer.objects.count() == 1


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite in memory has one writer at a time")
def test_of_requests_at_the_same_moment_one_acts(dora):
    study = builders.study("fleet", items=1, overlap=1, by=dora)
    client, replies, ready = script(dora, "direct"), [], threading.Barrier(6)

    def send():
        try:
            ready.wait()
            replies.append(post(client, "fleet/invitations/", {"seats": 3}, "once").status_code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert HTTPStatus.CREATED in replies
    assert set(replies) <= {HTTPStatus.CREATED, HTTPStatus.CONFLICT}
    assert study.invitations.count() == 1

"""S14: who came in, who was refused and what was taken away stands in the record, without a secret."""

import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Event
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def fleet(dora, ada):
    study = builders.study(items=1, overlap=1)
    builders.enrolment(study, dora, role="researcher", pseudonym="R1")
    builders.enrolment(study, ada)
    return study


def recorded(verb):
    found = Event.objects.filter(verb=verb).order_by("pk")
    return [(each.actor and each.actor.username, each.data) for each in found]


def test_S14_coming_in_and_failing_to(client, ada):
    ada.set_password("over the bar at dawn")
    ada.save()
    send = {"username": "ada", "password": "over the bar"}
    client.post(reverse("login"), send)
    client.post(reverse("login"), send | {"username": "no body in: here"})
    client.post(reverse("login"), send | {"password": "over the bar at dawn"})
    client.post(reverse("logout"))
    assert recorded("sign in failed") == [("ada", {}), (None, {})]
    assert recorded("sign in") == [("ada", {"at": "login"})]
    assert recorded("sign out") == [("ada", {})]


def test_S14_too_many_tries_are_written_once(client, ada):
    for _ in range(12):
        client.post(reverse("login"), {"username": "ada", "password": "wrong"})
    assert recorded("limit") == [("ada", {"at": "login"})]
    assert len(recorded("sign in failed")) == 10
    assert "wrong" not in json.dumps([each.data for each in Event.objects.all()])


def test_S14_a_refusal_names_who_where_and_which_study(as_user, ada, ben, fleet):
    for who in (ada, ben, ada):
        assert as_user(who).get(reverse("annotation:export", args=[fleet.slug])).status_code == 404
    said = {"at": "annotation:export", "method": "GET"}
    assert recorded("refused") == [("ada", said), ("ben", said)]
    assert {each.study for each in Event.objects.filter(verb="refused")} == {fleet}


def test_a_method_of_the_senders_own_is_not_written_down(as_user, ada):
    for method in ("MR.SMITH", "PROPFIND", "BREW"):
        assert as_user(ada).generic(method, reverse("api:jobs-list")).status_code == 403
    assert recorded("refused") == [("ada", {"at": "api:jobs-list", "method": "other"})]


def test_what_is_not_there_is_no_refusal(as_user, dora, fleet):
    assert as_user(dora).get(reverse("annotation:item", args=[fleet.slug, 99])).status_code == 404
    assert as_user(dora).get("/nowhere/").status_code == 404
    assert Client().get(reverse("annotation:export", args=[fleet.slug])).status_code == 302
    assert recorded("refused") == []


def test_what_leaves_is_recorded(as_user, dora, fleet):
    response = as_user(dora).post(reverse("annotation:record", args=[fleet.slug]), {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
    assert [(row["who"], row["verb"]) for row in rows] == [("R1", "export")]
    assert json.loads(rows[0]["data"]) == {"format": "csv", "what": "record"}
    for _ in range(2):
        found = as_user(dora).get(reverse("evaluation:results", args=[fleet.slug]), {"format": "json"})
        assert found["Content-Disposition"].startswith("attachment")
    assert recorded("download") == [("dora", {"at": "evaluation:results", "method": "GET"})]


def test_the_page_shows_pseudonyms_and_what_was_done(as_user, dora, ada, ben, fleet):
    Event.objects.create(study=fleet, actor=ada, verb="later", data={"why": "<b>tired</b>", "n": 2})
    as_user(ben).get(reverse("annotation:export", args=[fleet.slug]))
    page = as_user(dora).get(reverse("annotation:record", args=[fleet.slug])).content.decode()
    assert "why: &lt;b&gt;tired&lt;/b&gt;" in page
    assert "n: 2" in page
    assert "somebody else" in page
    assert ">A</td>" in page
    assert ">ben<" not in page
    chosen = as_user(dora).get(reverse("annotation:record", args=[fleet.slug]), {"verb": "later"})
    assert [each.verb for each in chosen.context["page"]] == ["later"]
    wrong = as_user(dora).post(reverse("annotation:record", args=[fleet.slug]), {"format": "xls"})
    assert wrong.status_code == 422


def test_the_record_of_the_site_is_for_its_superusers(as_user, dora, ada, fleet):
    address = reverse("annotation:site_record")
    assert as_user(dora).get(address).status_code == 404
    root = builders.person("root", is_active=True, is_superuser=True)
    Event.objects.create(actor=ada, verb="sign in")
    page = as_user(root).get(address).content.decode()
    assert ">ada</td>" in page
    assert "Nothing is sealed yet" in page
    lines = b"".join(as_user(root).post(address, {"format": "jsonl"})).decode().splitlines()
    assert {json.loads(line)["verb"] for line in lines} >= {"sign in", "export"}

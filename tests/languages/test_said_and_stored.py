"""What a German reader is told by modules, and that what is stored of it stays English."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone, translation

from annotation.assignment.claiming import next_assignment
from annotation.judging import drafts
from annotation.judging.judgments import Late, submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Event, Judgment, Outcome
from annotation.reading.mine import notebook
from annotation.studies import lifecycle
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from tests import builders

pytestmark = pytest.mark.django_db
GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de"}


@pytest.fixture
def study(ada, ben):
    return builders.read_by(ada, ben, items=3, overlap=2)


@pytest.fixture
def reader(study, ada):
    return study.enrolments.get(user=ada)


@pytest.fixture
def place(reader):
    return next_assignment(reader, now=timezone.now())


def said(outcome=Outcome.ANSWER, data=None, **more):
    return Submission(uuid.uuid4(), outcome, {"option": 1} if data is None else data, **more)


def test_why_an_answer_came_too_late_is_said_in_german_and_stored_in_english(study, reader, place):
    now = timezone.now() + timedelta(seconds=1)
    lifecycle.close_study(study, by=None, now=now)
    place.refresh_from_db()
    with translation.override("de"), pytest.raises(Late, match=r"^Die Studie ist abgeschlossen\. Ihre"):
        submit(place, reader, said(), now=now)
    assert Event.objects.get(verb="late").data["why"] == "The study is closed"


def test_a_reason_that_was_chosen_on_a_german_page_is_stored_as_on_an_english_one(client, ada, place):
    client.force_login(ada)
    page = client.get(place.get_absolute_url(), **GERMAN).text
    assert 'value="More than one fits">Mehr als eine passt<' in page
    own = {"submission": str(uuid.uuid4()), "revision": "0", "undecided": "More than one fits"}
    client.post(place.get_absolute_url(), own, **GERMAN)
    assert Judgment.objects.get().reason == "More than one fits"
    own_text = client.get(f"/studies/{place.study.slug}/notebook/txt/", **GERMAN).text
    assert "Aufgabe 1" in own_text
    assert "Nicht zu entscheiden (Mehr als eine passt)" in own_text


def test_what_two_windows_hold_is_compared_in_the_words_of_the_page(client, ada, reader, place):
    submit(place, reader, said(Outcome.UNDECIDED, {}, reason="More than one fits"), now=timezone.now())
    client.force_login(ada)
    address, own = place.get_absolute_url(), {"submission": str(uuid.uuid4()), "revision": "0"}
    there = client.post(address, {**own, "undecided": "None of them fits"}, **GERMAN)
    assert there.status_code == 409
    assert "Mehr als eine passt\nKeine davon passt</textarea>" in there.text
    shown = re.sub(r"<[^>]+>", " ", there.text)
    assert "More than one fits" not in shown
    assert "None of them fits" not in shown


def test_a_reason_in_german_is_no_other_than_the_one_that_is_stored_in_english(client, ada, reader, place):
    submit(place, reader, said(Outcome.UNDECIDED, {}, reason="More than one fits"), now=timezone.now())
    client.force_login(ada)
    page = client.get(place.get_absolute_url(), **GERMAN).text
    assert "Mehr als eine passt</textarea>" in page
    address = f"{place.get_absolute_url()}draft/"
    form = {"revision": "1", "other": "Mehr als eine passt", "keep": "other", "submission": str(uuid.uuid4())}
    client.post(address, form, **GERMAN)
    assert not drafts.typed_fields(Assignment.objects.get(pk=place.pk))


def test_a_notebook_is_searched_in_the_words_that_its_reader_sees(reader, place):
    submit(place, reader, said(Outcome.UNDECIDED, {}, reason="None of them fits"), now=timezone.now())
    with translation.override("de"):
        assert len(notebook.entries(reader, sought="keine davon")) == 1
        assert notebook.entries(reader, sought="none of them") == []


def test_the_table_of_a_notebook_is_the_same_in_every_language(client, ada, reader, place):
    submit(
        place,
        reader,
        said(Outcome.UNDECIDED, {}, reason="None of them fits", note="Why?"),
        now=timezone.now(),
    )
    client.force_login(ada)
    address = f"/studies/{place.study.slug}/notebook/csv/"
    assert client.get(address, **GERMAN).text == client.get(address).text


def test_a_script_is_refused_in_english_whatever_its_browser_asks_for(client):
    reply = client.get("/api/v1/studies/", HTTP_AUTHORIZATION="Bearer wrong", **GERMAN)
    assert reply.json()["detail"] == "This token is unknown, expired or revoked."


@pytest.mark.parametrize("slug", sorted(registry.all_types()))
def test_an_empty_answer_of_each_task_is_refused_in_the_readers_language(slug):
    task = registry.get(slug)
    example = task.example()
    refusals = []
    for language in ("en", "de"):
        with translation.override(language), pytest.raises(Invalid) as refused:
            task.parse(example.payload, {})
        refusals.append(str(refused.value))
    assert refusals[0] != refusals[1]


def test_a_refused_form_names_its_field_in_german(client, ada, place):
    client.force_login(ada)
    form = {"submission": str(uuid.uuid4()), "revision": "0", "broken": "1", "fault": ""}
    reply = client.post(place.get_absolute_url(), form, **GERMAN)
    assert reply.status_code == 422
    assert "Sagen Sie in wenigen Worten, was mit dieser Aufgabe nicht stimmt." in reply.text


def test_the_keys_of_the_preferences_are_called_by_german_names(client, ada):
    client.force_login(ada)
    page = client.get("/preferences/", **GERMAN).text
    for label in (
        "vorige Aufgabe",
        "Textstelle 4, wenn es so viele gibt",
        "Schriftgröße",
        "Bei jeder Art von Aufgabe",
    ):
        assert label in page
    refused = client.post("/preferences/", {"key-later": "n"}, **GERMAN).text
    assert "Die Taste N hätte zwei Aufgaben" in refused


def test_a_reason_that_stands_in_the_form_in_german_is_stored_in_english_again(client, ada, place):
    client.force_login(ada)
    own = {"submission": str(uuid.uuid4()), "revision": "0", "undecided": "More than one fits"}
    client.post(place.get_absolute_url(), own, **GERMAN)
    page = client.get(place.get_absolute_url(), **GERMAN).text
    assert ">\nMehr als eine passt</textarea>" in page
    again = {
        "submission": str(uuid.uuid4()),
        "revision": "1",
        "undecided": "",
        "other": "Mehr als eine passt",
    }
    client.post(place.get_absolute_url(), again, **GERMAN)
    assert [each.reason for each in Judgment.objects.order_by("revision")] == ["More than one fits"] * 2


def test_the_panel_of_keys_writes_its_german_phrases_small(client, ada, place):
    client.force_login(ada)
    panel = client.get(place.get_absolute_url(), **GERMAN).text.partition("data-reader data-kept")[2]
    assert "<dd>nicht zu entscheiden</dd>" in panel
    own = {"submission": str(uuid.uuid4()), "revision": "0", "undecided": "More than one fits"}
    client.post(place.get_absolute_url(), own, **GERMAN)
    page = client.get(place.get_absolute_url(), **GERMAN).text
    assert "· nicht zu entscheiden: Mehr als eine passt" in page


def test_an_address_that_leads_nowhere_says_so_in_the_language_of_whoever_asks(client, ada, dora, study):
    assert "Hier ist nichts" in client.get("/nowhere/", **GERMAN).text
    assert "There is nothing here" in client.get("/nowhere/").text
    client.force_login(ada)
    client.post("/preferences/", {"language": "de"})
    reply = client.get("/nowhere/")
    assert reply.status_code == 404
    assert '<html lang="de"' in reply.text
    assert "Accept-Language" in reply["Vary"]
    # What is not there of a page that is English is said in English.
    assert '<html lang="en"' in client.get("/manage/another/").text


def test_what_is_no_address_is_refused_in_the_words_of_the_site(client, ada, study):
    """Those of a library that the API uses would call readers *du*."""
    client.force_login(ada)
    refused = client.post(f"/studies/{study.slug}/mail/", {"address": "nonsense"}, **GERMAN).text
    assert "Schreiben Sie eine Adresse wie name@example.org." in refused
    assert "Gib eine" not in refused

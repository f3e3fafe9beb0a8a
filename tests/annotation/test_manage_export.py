"""The download: streamed, noted, and a POST."""

from __future__ import annotations

import csv
import io
import json
from zipfile import ZipFile

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotation.export import codebook
from annotation.models import Event
from tests.annotation.manage_cast import judge


@pytest.fixture
def address(fleet):
    judge(fleet, 1, "A", note="=1+1")
    judge(fleet, 1, "B", option=2)
    return reverse("annotation:export", args=["fleet"])


def test_jsonl_is_streamed_line_by_line(dora, as_user, address):
    before = timezone.now()
    response = as_user(dora).post(address, {"format": "jsonl"})
    assert response.streaming
    assert response["Content-Type"].startswith("application/x-ndjson")
    # The day may have ended meanwhile.
    names = [f"fleet-judgments-{day:%Y%m%d}.jsonl" for day in (before, timezone.now())]
    assert response["Content-Disposition"] in [f'attachment; filename="{name}"' for name in names]
    rows = [json.loads(line) for line in b"".join(response).decode().splitlines()]
    assert [(row["item"], row["pseudonym"], row["note"]) for row in rows] == [(1, "A", "=1+1"), (1, "B", "")]


def test_csv_neutralises_formulas(dora, as_user, address):
    response = as_user(dora).post(address, {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
    assert [row["note"] for row in rows] == ["'=1+1", ""]
    assert response["Content-Disposition"].endswith('.csv"')


def test_a_download_is_noted(dora, as_user, address, fleet):
    as_user(dora).post(address, {"format": "csv"})
    event = Event.objects.get(study=fleet, verb="export")
    assert (event.actor, event.data) == (dora, {"format": "csv", "judgments": 2})


def test_S02_looking_at_the_page_is_not_noted(dora, as_user, address):
    page = as_user(dora).get(address, {"format": "csv"}).content.decode()
    assert "2 judgments" in page
    assert "<code>pseudonym</code>" in page
    assert not Event.objects.filter(verb="export").exists()


def test_an_unknown_format_is_refused(dora, as_user, address):
    for chosen in ({"format": "xlsx"}, {}):
        response = as_user(dora).post(address, chosen)
        assert response.status_code == 422
        assert "use jsonl or csv" in response.content.decode()
    assert not Event.objects.filter(verb="export").exists()


def test_S01_a_download_needs_the_form(dora, address):
    from django.test import Client

    browser = Client(enforce_csrf_checks=True)
    browser.force_login(dora)
    assert browser.post(address, {"format": "csv"}).status_code == 403


def test_each_column_stands_on_the_page_with_its_meaning(dora, as_user, address, fleet):
    text = as_user(dora).get(address).text
    for name, meaning in codebook.of_judgments(fleet):
        assert f"<dt><code>{name}</code></dt><dd>{escape(meaning)}</dd>" in text


def test_a_data_set_is_sent_as_a_zip_file_under_the_licence_that_was_chosen(dora, as_user, address, fleet):
    asked = {"what": "dataset", "licence": "CC-BY-4.0"}
    response = as_user(dora).post(address, asked)
    assert response.streaming
    assert response["Content-Disposition"] == 'attachment; filename="fleet-dataset.zip"'
    with ZipFile(io.BytesIO(b"".join(response))) as archive:
        assert archive.testzip() is None
        package = json.loads(archive.read("fleet/datapackage.json"))
        assert archive.read("fleet/data/judgments.jsonl").count(b"\n") == 2
    assert [each["name"] for each in package["licenses"]] == ["CC-BY-4.0"]
    assert fleet.events.get(verb="export").data == {"format": "dataset", "licence": "CC-BY-4.0"}
    response = as_user(dora).post(address, {**asked, "licence": "mine"})
    assert response.status_code == 422
    assert "Choose one of the licences: CC-BY-4.0" in response.content.decode()

"""The form of the reading page: fields that all forms share, and addresses that begin with the item's own."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import resolve
from django.utils.translation import override

from annotation.reading.forms import JudgmentForm
from tests import builders

TEMPLATES = Path(__file__).resolve().parents[2] / "templates/annotation"
BELOW = sorted(
    {
        (page.name, path)
        for page in (TEMPLATES / "item.html", TEMPLATES / "acts.html")
        for path in re.findall(r'{{ address }}([^"]+)"', page.read_text(encoding="utf-8"))
    }
)


@pytest.fixture
def study(ada, ben):
    return builders.read_by(ada, ben, items=3, overlap=2)


@pytest.mark.django_db
def test_forms_share_their_fields_and_nothing_that_was_said(place):
    wrong = {"submission": "none", "revision": "0", "note": "Mine.", "confidence": "9"}
    with override("de"):
        german = JudgmentForm(wrong, assignment=place)
        assert german["note"].label == "Notiz an die Studienleitung"
        assert {*german.errors} == {"submission", "confidence"}
    blank = JudgmentForm.blank(place, None)
    other = JudgmentForm({"submission": str(uuid4()), "revision": "0"}, assignment=place)
    assert blank.fields is other.fields
    assert (blank["note"].label, blank["note"].value()) == ("Note to the researcher", "")
    assert (other.errors, other.cleaned_data["note"]) == ({}, "")
    assert {*german.errors} == {"submission", "confidence"}, "still"


@pytest.mark.parametrize(("page", "path"), BELOW)
def test_what_stands_below_an_items_address_is_a_page(page, path):
    found = resolve(f"/work/1/{path}")
    assert found.url_name
    assert not found.url_name.endswith("_before"), f"{page}: an address that has moved"


def test_pages_are_found():
    assert {"draft/", "later/"} <= {path for _, path in BELOW}

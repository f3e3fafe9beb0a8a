"""I04 and I09: lines, cells and names without end, and files that unpack to more: a sentence, and never a fault.

What is taken is stored whole. Nothing is cut off, on a database that would and on one that would refuse.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.engine.interchange import delimited, lines
from tests import builders

pytestmark = pytest.mark.django_db
ITEM = {"left": ["See"], "right": ["here."], "options": ["a lamp", "a boat"]}


@pytest.fixture
def draft(dora):
    return builders.study("draft", items=0, state="draft", by=dora)


@pytest.fixture
def send(as_user, dora, draft):
    """Send a file of items, and return what is said of it; empty where it was taken."""
    browser = as_user(dora)

    def post(data: bytes, name: str = "items.jsonl") -> str:
        file = SimpleUploadedFile(name, data)
        reply = browser.post(reverse("annotation:setup_items", args=[draft.slug]), {"file": file})
        if reply.status_code == 302:
            return ""
        assert reply.status_code == 422
        return str(reply.context["file_form"].errors["file"][0])

    return post


GIANTS = {
    "text of ten megabytes": {"left": ["word " * 2_000_000]},
    "id of 300 letters": {"id": "i" * 300},
    "citation of a megabyte": {"citation": "c" * 1_000_000},
    "option of a megabyte": {"options": ["a lamp", "b" * 1_000_000]},
    "ten thousand options": {"options": [f"lamp {at}" for at in range(10_000)]},
    "explanation of a megabyte": {"explanation": "e" * 1_000_000},
}


@pytest.mark.parametrize("which", GIANTS)
def test_a_giant_is_named_or_stored_whole(send, draft, which):
    line = {**ITEM, **GIANTS[which]}
    said = send(json.dumps(line).encode())
    if said:
        field = next(iter(GIANTS[which]))
        assert said.startswith("items.jsonl, line 1, field “"), said
        assert f"“{field}" in said
        assert draft.items.count() == 0
        return
    stored = draft.items.get()
    for name, value in GIANTS[which].items():
        held = stored.payload.get(name, stored.provenance.get(name))
        assert sorted(held) == sorted(value)


def test_a_file_name_of_300_letters_is_no_reason_to_refuse(send, draft):
    assert send(json.dumps(ITEM).encode(), "n" * 300 + ".jsonl") == ""
    assert draft.items.count() == 1


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("items.jsonl", data)
    return out.getvalue()


BOMB = b"\0" * (16 << 20)
ARCHIVES = {"gz": gzip.compress, "zip": zipped, "xz": lambda data: lzma.compress(data, preset=0)}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_I09_an_archive_that_is_called_jsonl_is_refused_by_what_it_is(send, draft, kind):
    said = send(ARCHIVES[kind](BOMB))
    assert said.startswith("items.jsonl")
    assert draft.items.count() == 0


def test_a_cell_of_140_kilobytes_is_read_whole():
    """Python's own reader of CSV ends at 131,072 letters."""
    cell = "word " * 27_999 + "word"
    found = lines.lines(io.BytesIO(f"id\ttext\nd1\t{cell}\n".encode()), "t.tsv")
    columns, _ = delimited.columns_of(next(found), lines.wrong_in("t.tsv"))
    (document,) = delimited.table(found, lines.wrong_in("t.tsv"), columns)
    assert document.text == cell

"""I04 and I09: lines, cells and names without end, and files that unpack to more: a sentence, no fault.

What is taken is stored whole. Nothing is cut off, on a database that would and on one that would refuse.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import zipfile
from threading import Thread

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.items import payloads
from annotation.items.prepared import Prepared
from annotation.models import Study
from annotation.studies import build
from annotation.studies.importing import jobs
from retrieval.engine.interchange import delimited, lines
from tests import builders

pytestmark = pytest.mark.django_db
ITEM = {"left": ["See"], "right": ["here."], "options": ["a lamp", "a boat"]}


@pytest.fixture
def draft(dora):
    return builders.study("draft", items=0, state="draft", by=dora)


@pytest.fixture
def send(as_user, dora, draft):
    """Send a file of items, and return what is said of it; empty where it was taken.

    A large one is read by a worker, who says the same.
    """
    browser = as_user(dora)

    def post(data: bytes, name: str = "items.jsonl") -> str:
        file = SimpleUploadedFile(name, data)
        reply = browser.post(reverse("annotation:setup_items", args=[draft.slug]), {"file": file})
        if reply.status_code == 302:
            for job in draft.item_imports.filter(status="queued"):
                jobs.attempt(job.pk, "one")
            return "".join(draft.item_imports.values_list("error", flat=True))
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


def test_a_line_that_is_no_item_by_its_length_is_named_unread(send, draft):
    said = send(json.dumps(ITEM).encode() + b"\n" + b'{"left": ["' + b"word " * 3_500_000)
    assert said == (
        "items.jsonl, line 2: is longer than 16 MB. Each line is one item: is the end of a line missing?"
    )
    assert draft.items.count() == 0


def test_a_file_comes_through_a_pipe(tmp_path):
    """It is read twice, and a pipe can be read once."""
    os.mkfifo(tmp_path / "pipe")
    lines = "\n".join(json.dumps({**ITEM, "id": f"i{at}"} | {"citation": str(at)}) for at in range(3))
    Thread(target=(tmp_path / "pipe").write_text, args=[lines]).start()
    out = io.StringIO()
    call_command("import_items", "piped", str(tmp_path / "pipe"), task="choice", stdout=out)
    assert Study.objects.get(slug="piped").items.count() == 3


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


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b"], ids=["NUL", "lone surrogate"])
def test_I03_what_one_database_stores_and_the_other_refuses_is_refused_at_the_door(send, draft, text):
    said = send(b'{"left": ["See"], "right": ["here."], "options": ["a lamp", "%s"]}' % text.encode())
    assert said.startswith("items.jsonl, line 1, field “options”"), said
    assert draft.items.count() == 0


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a BOM"])
def test_I03_letters_of_every_kind_come_back_as_they_were(send, draft, before):
    odd = "e\u0301 \u2028 \u0085 \u202e \U0001f600 ﷽"
    line = {**ITEM, "options": ["a lamp", odd]}
    assert send(before + json.dumps(line, ensure_ascii=False).encode() + b"\r\n") == ""
    assert sorted(draft.items.get().payload["options"]) == sorted(["a lamp", odd])


@pytest.fixture
def load(tmp_path, monkeypatch):
    """`load(n)` imports a file of n items, of which more than two are many."""
    monkeypatch.setattr(build, "LARGE", 2)
    monkeypatch.setattr(payloads, "AT_ONCE", 2)

    def run(n: int, last: str = "") -> str:
        lines = [json.dumps({**ITEM, "id": f"i{at}", "citation": f"Critic {at}"}) for at in range(n)]
        (tmp_path / "many.jsonl").write_text("\n".join([*lines, last]))
        out = io.StringIO()
        call_command("import_items", "many", str(tmp_path / "many.jsonl"), task="choice", stdout=out)
        return out.getvalue()

    return run


def test_I08_what_was_cut_off_between_parts_is_completed(load, monkeypatch):
    plain, parts = Prepared.store, []

    def cut(ready, *of):
        if len(parts) == 2:
            raise KeyboardInterrupt
        parts.append(plain(ready, *of))
        return parts[-1]

    monkeypatch.setattr(Prepared, "store", cut)
    with pytest.raises(CommandError, match="Stopped"):
        load(7)
    monkeypatch.undo()
    study = Study.objects.get()
    assert (parts, study.items.count(), study.state) == ([2, 2], 4, "draft")
    assert "Added 3 items" in load(7)
    assert list(study.items.values_list("number", flat=True)) == list(range(1, 8))
    assert "Nothing was new" in load(7)


def test_I08_a_wrong_line_at_the_end_of_many_leaves_nothing(load):
    with pytest.raises(CommandError, match=r"many\.jsonl, line 8: is not JSON"):
        load(7, last="{")
    assert not Study.objects.exists()

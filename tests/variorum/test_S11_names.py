"""S11: a name, of a file or in an address, leads nowhere but where its kind of thing is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.models import LoadingJob
from tests import builders

pytestmark = pytest.mark.django_db
NAMES = [
    "../../etc/passwd", "/etc/passwd", "..\\..\\boot.ini", "%2e%2e%2fsecret-key", "a\0b.jsonl", "CON",
    "." * 300, "é" * 300 + ".jsonl", "-rf", "$(id).jsonl", "a\nb.jsonl",
]  # fmt: skip
ITEM = {"left": ["See"], "right": ["here."], "options": ["a lamp", "a boat"]}


def lying(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def uploaded(name: str, data: bytes) -> SimpleUploadedFile:
    """Whatever Django makes of the name that a browser sends."""
    return SimpleUploadedFile(name, data, content_type="text/plain")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_items_is_read_whatever_it_is_called_and_kept_nowhere(as_user, dora, name):
    study = builders.study("draft", items=1, state="draft", by=dora)
    before = lying(Path(settings.DATA_DIR))
    reply = as_user(dora).post(
        reverse("annotation:setup_items", args=[study.slug]),
        {"file": uploaded(name, json.dumps(ITEM).encode())},
    )
    assert reply.status_code in (302, 422)
    assert lying(Path(settings.DATA_DIR)) == before
    if reply.status_code == 302:
        assert study.items.count() == 2
        said = study.events.filter(verb="build").latest("pk").data["file"]
        assert "/" not in said
        assert "\0" not in said


@pytest.mark.parametrize("name", NAMES)
def test_what_waits_for_a_worker_has_a_name_of_our_own(as_user, stan, name, tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    facts = {"slug": "far", "title": "Far", "author": "N.", "year": "1900"}
    text = b"A lamp burns low in the window of the house. " * 60_000
    reply = as_user(stan).post(reverse("retrieval:import_book"), {**facts, "file": uploaded(name, text)})
    assert reply.status_code in (302, 422)
    kept = {path.relative_to(tmp_path).as_posix() for path in lying(tmp_path)}
    assert kept <= {f"data/uploads/{pk}" for pk in LoadingJob.objects.values_list("pk", flat=True)}


@pytest.mark.parametrize(
    "path",
    [
        "/static../manage.py", "/static/../manage.py", "/static/%2e%2e/manage.py", "/static//etc/passwd",
        "/static/..%2fmanage.py", "/static/%00", "/books/..%2f..%2fetc/", "/record/../../secret-key",
    ],
)  # fmt: skip
def test_no_address_leads_out_of_its_folder(client, path):
    assert client.get(path).status_code in (302, 404)
    assert client.get(path, follow=True).status_code in (200, 404)
    assert b"execute_from_command_line" not in client.get(path, follow=True).content


def test_a_download_is_an_attachment_named_by_us(as_user, dora):
    study = builders.study(items=1, overlap=1, by=dora)
    sent = {"format": "jsonl", "what": "judgments"}
    reply = as_user(dora).post(reverse("annotation:export", args=[study.slug]), sent)
    assert reply.status_code == 200
    disposition = reply["Content-Disposition"]
    assert disposition.startswith("attachment")
    assert study.slug in disposition
    assert not set("/\\\r\n") & set(disposition)
    assert reply["X-Content-Type-Options"] == "nosniff"

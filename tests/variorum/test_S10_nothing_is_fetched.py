"""S10: an address that somebody writes stays text: nothing is fetched for them, from here or elsewhere."""

from __future__ import annotations

import json
import socket

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Guideline
from retrieval.models import Book
from tests import builders

pytestmark = pytest.mark.django_db
ADDRESSES = [
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data/",
    "//metadata.internal/x",
    "https://attacker.example/x.png",
    "gopher://127.0.0.1:6379/_FLUSHALL",
]


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """Whom a socket of Python's was to reach; nobody is reached. PostgreSQL's client is no such socket."""
    found = []

    def refuse(*words, **_):
        found.append(words[1:])
        raise OSError("the test has no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return found


def test_items_of_addresses_are_items_of_text(as_user, dora, asked):
    study = builders.study("draft", items=1, state="draft", by=dora)
    browser = as_user(dora)
    lines = [
        {
            "left": [f"See {each} and", each],
            "right": [],
            "options": [each, f"<img src='{each}'>"],
            "citation": each,
        }
        for each in ADDRESSES
    ]
    file = SimpleUploadedFile("items.jsonl", "\n".join(map(json.dumps, lines)).encode())
    reply = browser.post(reverse("annotation:setup_items", args=[study.slug]), {"file": file})
    assert reply.status_code == 302, reply.content[-500:]
    assert study.items.count() == 1 + len(ADDRESSES)
    item = study.items.order_by("number").last()
    page = browser.get(reverse("annotation:item", args=[study.slug, item.number])).text
    assert ADDRESSES[-1] in page
    for each in ADDRESSES:
        assert f'src="{each}' not in page
        assert f"src='{each}" not in page
    assert asked == []


def test_guidelines_show_no_picture_from_elsewhere(as_user, dora, asked):
    study = builders.study(items=2, overlap=1, by=dora)
    text = "\n\n".join(f"![a picture]({each}) <img src='{each}'>" for each in ADDRESSES)
    Guideline.objects.create(study=study, version=99, text=text, created_by=dora)
    page = as_user(dora).get(reverse("annotation:guidelines", args=[study.slug])).text
    assert "attacker.example" in page
    assert all(f"src={mark}{each}" not in page for each in ADDRESSES for mark in ("", '"', "'"))
    assert asked == []


def test_no_form_takes_an_address_to_fetch_from(as_user, stan, asked):
    browser = as_user(stan)
    name = reverse("retrieval:import_book")
    page = browser.get(name).text
    assert 'type="url"' not in page
    facts = {
        "slug": "far",
        "title": ADDRESSES[0],
        "author": ADDRESSES[1],
        "year": "1900",
        "text": ADDRESSES[3],
    }
    reply = browser.post(name, facts)
    assert reply.status_code in (200, 302, 422)
    assert not Book.objects.filter(text__contains="root:").exists()
    assert asked == []

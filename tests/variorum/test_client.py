"""clients/variorum_client.py, and the quickstart that uses it, against a running site."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from datetime import timedelta
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest
from django.utils import timezone

from annotation.models import Study
from annotation.people.tokens import issue
from tests import builders

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients"))
import variorum_client  # noqa: E402


@pytest.fixture
def key(dora):
    return issue(dora, "a script", ["direct", "read"], timezone.now() + timedelta(days=1))[1]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(variorum_client, "WAIT", 0)


def test_the_quickstart_runs_as_it_is_printed(live_server, key, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(), re.S)
    monkeypatch.setenv("VARIORUM_SITE", live_server.url)
    monkeypatch.setenv("VARIORUM_KEY", key)
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert f"{live_server.url}/join/#" in printed.getvalue()
    assert list(names["frame"].columns)[:3] == ["item", "pseudonym", "answer"]
    study = Study.objects.get()
    assert (study.slug, study.items.count(), study.invitations.get().seats) == ("tide", 1, 2)


def test_it_reads_all_pages_and_says_what_was_refused(live_server, key, dora):
    builders.study("fleet", items=5, overlap=1, by=dora)
    site = variorum_client.Variorum(live_server.url, key)
    assert [each["number"] for each in site.rows("studies/fleet/items/", page_size=2)] == [1, 2, 3, 4, 5]
    assert site.get("studies/fleet/report/", format="csv").startswith(b"study,")
    with pytest.raises(variorum_client.Refused, match="No Study matches") as refused:
        site.get("studies/nothing/")
    assert refused.value.status == 404
    with pytest.raises(variorum_client.Refused) as refused:
        site.post("studies/fleet/open/")
    assert (refused.value.status, "only a draft" in refused.value.said["detail"]) == (409, True)


def test_a_post_that_gets_no_answer_is_sent_again_under_its_key(monkeypatch):
    site = variorum_client.Variorum("https://variorum.example.org", "vr_secret")
    sent = []

    class Away:
        def open(self, request, timeout):
            sent.append(request.get_header("Idempotency-key"))
            raise URLError("away")

    monkeypatch.setattr(site, "_opener", Away())
    with pytest.raises(URLError, match="away"):
        site.post("studies/", {})
    assert len(sent) == variorum_client.TRIES
    assert len(set(sent)) == 1
    assert len(sent[0]) == 32


def test_the_key_goes_nowhere_else():
    with pytest.raises(ValueError, match="https://"):
        variorum_client.Variorum("http://variorum.example.org", "vr_secret")
    stays = variorum_client.Variorum("https://variorum.example.org", "vr_secret")._opener
    (handler,) = [each for each in stays.handlers if isinstance(each, variorum_client._Stay)]
    assert handler.redirect_request(None, None, 302, "Found", {}, "https://elsewhere.example/") is None
    assert issubclass(variorum_client.Refused, Exception)
    assert not issubclass(variorum_client.Refused, HTTPError)

"""R09: PostgreSQL is stopped, then killed, while somebody submits. Told so, they send it again: once."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import tempfile
import time
import uuid
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.cases.installation import HERE, LONGEST, Installation, idle
from tests.services import start

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(HERE != "postgresql", reason="needs PostgreSQL (make cases)"),
]
ROOM = """
from django.conf import settings
from importlib import import_module
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from annotation.assignment.claiming import next_assignment
from django.utils import timezone
study, ada = builders.study(items=3, overlap=1), builders.person("Ada")
me = builders.enrolment(study, ada)
store = import_module(settings.SESSION_ENGINE).SessionStore()
store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(ada.pk), settings.AUTHENTICATION_BACKENDS[0]
store[HASH_SESSION_KEY] = ada.get_session_auth_hash()
store.save()
print(json.dumps([store.session_key, next_assignment(me, now=timezone.now()).pk]))
"""
STORED = """
from annotation.models import Assignment, Judgment
print(json.dumps([Judgment.objects.count(), Assignment.objects.filter(status="done").count()]))
"""


AWAY = 20
"""Seconds for which the database is gone."""


class Server:
    """A PostgreSQL of the test's own, which it stops and starts."""

    def __init__(self, folder):
        self.folder = folder / "pg"
        self.user = {}
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def control(self, *words):
        program = start.postgresql_folder() / "pg_ctl"
        subprocess.run(
            [program, "-D", self.folder, "-w", "-t", "60", *words],
            check=True, cwd="/", stdout=subprocess.DEVNULL, **self.user,
        )  # fmt: skip

    def stop(self, mode):
        self.options = (self.folder / "postmaster.opts").read_text().partition(" ")[2]
        self.control("stop", "-m", mode)

    def start(self):
        self.control("start", "-l", "/dev/null", "-o", self.options.replace('"', "'"))


class Reader:
    """Somebody's browser: a cookie, and the form of one item."""

    def __init__(self, at, cookie, place):
        self.at, self.cookie, self.place = at, cookie, place

    def ask(self, method, path, body=None, **headers):
        connection = HTTPConnection(self.at, timeout=90)
        try:
            connection.request(method, path, body, {"Cookie": self.cookie, **headers})
            reply = connection.getresponse()
            return reply.status, reply.read().decode(), reply.getheaders()
        finally:
            connection.close()

    def form(self):
        """Open the item, and return the form as it would be sent."""
        _, page, headers = self.ask("GET", f"/work/{self.place}/")
        for name, value in headers:
            if name.lower() == "set-cookie" and value.startswith("csrf="):
                self.cookie += "; " + value.partition(";")[0]
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        sent = {
            "csrfmiddlewaretoken": token,
            "submission": str(uuid.uuid4()),
            "revision": "0",
            "position": "1",
        }
        return urlencode(sent)

    def send(self, form):
        kind = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        status, page, headers = self.ask("POST", f"/work/{self.place}/", form, **kind)
        after = dict(headers).get("HX-Push-Url", "") + page
        if (found := re.search(r"/work/(\d+)/", after)) and status == 200:
            self.place = int(found[1])
        return status, page


def until(asked, process):
    deadline = time.monotonic() + LONGEST
    while not (found := asked()):
        assert process.poll() is None, "the web ended"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def test_who_submits_meanwhile_is_told_and_sends_it_again(tmp_path):
    room = tempfile.TemporaryDirectory(prefix="variorum-")
    Path(room.name).chmod(0o755)  # PostgreSQL runs as another user
    with room, start.postgresql(Path(room.name)) as url:
        here, server = Installation(tmp_path / "data", url), Server(Path(room.name))
        try:
            here.manage("migrate", "--verbosity", "0")
            here.manage("collectstatic", "--no-input", "--verbosity", "0")
            key, place = here.told(ROOM)
            log = tmp_path / "web.log"
            serve = ["-m", "gunicorn", "variorum.wsgi", "--config", "python:variorum.gunicorn_hooks", "-b"]
            with log.open("w") as out, here.started(*serve, "127.0.0.1:0", stdout=out, stderr=out) as web:
                said = until(lambda: re.search(r"Listening at: (\S+)", log.read_text()), web)
                reader = Reader(urlsplit(said[1]).netloc, f"variorum={key}", place)
                for mode in ("fast", "immediate"):
                    form = reader.form()
                    server.stop(mode)
                    away = time.monotonic() + AWAY
                    told = 0
                    while time.monotonic() < away or told < 5:
                        # Whoever presses again and again is told the same, and at once.
                        asked = time.monotonic()
                        status, page = reader.send(form)
                        assert status == 503, page[-2000:]
                        assert "saved" in page.lower()
                        assert time.monotonic() - asked < 10 or not idle()
                        told += 1
                        time.sleep(0.2)
                    assert web.poll() is None
                    server.start()
                    began = time.monotonic()
                    until(lambda form=form: reader.send(form)[0] == 200, web)
                    assert time.monotonic() - began < 10 or not idle()
                    assert reader.send(form)[0] in (200, 404, 409)
            assert here.told(STORED) == [2, 2]
            assert "as it was" in here.manage("verify").stdout
        finally:
            if (server.folder / "postmaster.pid").exists():
                server.stop("fast")

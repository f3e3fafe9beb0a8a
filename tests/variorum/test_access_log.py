"""No secret stands in a log: the web server of a container with the log it keeps, and three links used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from html import unescape
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest
from django.conf import settings

from annotation.mail.stopping import stop_path
from annotation.people import enrolments
from tests import builders
from tests.annotation.test_R01_overlap import environment
from tests.linked import parts
from variorum.accounts import links
from variorum.models import LinkKind

pytestmark = pytest.mark.services

NEW = {"new_password1": "another lamp, another dawn", "new_password2": "another lamp, another dawn"}
ACCOUNT = {
    "username": "fay",
    "first_name": "Fay",
    "password1": "a lamp before dawn",
    "password2": "a lamp before dawn",
}
SECONDS = 120
OUTSIDE = "5f3a9c0d1e2b4a6789abcdef"


class Visitor:
    """A browser that runs no scripts: it keeps cookies, follows redirects and sends what forms hold."""

    def __init__(self, site: str) -> None:
        self.site, self.at = site, ""
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor())

    def open(self, path: str, sent: dict[str, str] | None = None) -> str:
        # As browsers do, urllib keeps what stands behind the `#`; the Referer is the page before.
        headers = {"Referer": self.at} if self.at else {}
        body = urlencode(sent).encode() if sent is not None else None
        with self.opener.open(Request(self.site + path, body, headers), timeout=SECONDS) as reply:
            self.at, self.page = reply.url.partition("#")[0], reply.read().decode()
        return self.page

    def send(self, button: str, **typed: str) -> str:
        """Press the button of the form that has it."""
        forms = re.findall(r'<form[^>]*method="post"[^>]*>.*?</form>', self.page, re.S)
        form = next(each for each in forms if button in each)
        hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
        action = re.search(r'<form[^>]* action="([^"]*)"', form)
        path = action[1] if action else self.at.removeprefix(self.site)
        return self.open(path, {name: unescape(value) for name, value in hidden} | typed)


@pytest.fixture
def serving(transactional_db, tmp_path):
    """`serving()` starts what a container starts, on a free port. `logged()` ends it and returns its log."""
    started = []

    def start():
        variables = environment(tmp_path) | {"VARIORUM_SECRET_KEY": settings.SECRET_KEY}
        variables |= {"WEB_BIND": "127.0.0.1:0", "WEB_WORKERS": "1", "VARIORUM_REDIS_URL": ""}
        variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
        with (tmp_path / "out").open("wb") as out:
            web = subprocess.Popen(
                ["sh", "docker/entrypoint", "web"],
                cwd=settings.BASE_DIR, env=variables, stdout=out, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        started.append(web)
        said = []
        for line in web.stderr:
            said.append(line)
            if at := re.search(r"Listening at: (http://127\.0\.0\.1:\d+)", line):
                break
        assert at, said

        def logged():
            web.terminate()
            _, rest = web.communicate(timeout=SECONDS)
            return (tmp_path / "out").read_text() + "".join(said) + rest

        return at[1], logged

    yield start
    for web in started:
        if web.poll() is None:
            web.kill()
        web.communicate()


def test_no_link_stands_in_the_access_log(serving):
    ada = builders.person("Ada")
    study = builders.study("fleet", items=1, overlap=1)
    paths = {
        "sign in": links.make(ada, LinkKind.SIGN_IN),
        "password": links.make(builders.person("Ben"), LinkKind.PASSWORD),
        "join": enrolments.address(
            enrolments.link(enrolments.invite(study, role="annotator", seats=1, days=7, by=None))
        ),
    }
    codes = [parts(path)[1] for path in paths.values()]
    site, logged = serving()

    visitor = Visitor(site)
    visitor.open(paths["sign in"])
    visitor.send("Go on", token=codes[0])
    assert "Choose a password" in visitor.send("Sign in as Ada")
    visitor = Visitor(site)
    visitor.open(paths["password"])
    visitor.send("Go on", token=codes[1])
    assert "Your password is set" in visitor.send("Save", **NEW)
    visitor = Visitor(site)
    visitor.open(paths["join"])
    assert "Boats and their critics" in visitor.send("Go on", token=codes[2])
    assert "Begin" in visitor.send("Make the account and join", **ACCOUNT)

    # What recruiting services write before the code, and the key that ends e-mail.
    stop = stop_path(study, "ada@example.org")
    for path in (
        f"/join/?PROLIFIC_PID={OUTSIDE}#{codes[2]}",
        f"/join/{codes[2]}/?PROLIFIC_PID={OUTSIDE}",
        stop,
        stop.removesuffix("/"),
        f"/nowhere/{OUTSIDE}",
    ):
        with suppress(HTTPError):
            visitor.open(path)
    assert visitor.at == "" or OUTSIDE not in visitor.at.partition("?")[0]
    codes += [OUTSIDE, stop.strip("/").rpartition("/")[2]]

    log = logged()
    assert "GET /mail/stop/<str:token>/ HTTP/1.1" in log, log
    for asked in ("GET /signin/ ", "POST /signin/ ", "POST /password/new/ ", "GET /join/ ", "POST /join/ "):
        assert asked in log, log
    assert f'"{site}/signin/"' in log, "the Referer is logged"
    assert [code for code in codes if code in log] == []
    assert [word for word in (*NEW.values(), ACCOUNT["password1"]) if word in log] == []

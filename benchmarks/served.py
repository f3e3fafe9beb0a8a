"""The site as `manage.py serve` starts it, on a new database and a free port, and readers who work at it.

Server and readers share the machine, so every time here includes the readers' own work.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from typing import Any, NamedTuple
from urllib.parse import urlencode

WORDS = ("the harbour lay quiet and the tide had left its mark upon the stones below the wall " * 10).split()
FIELD = r'name="{}" value="([^"]*)"'


class Step(NamedTuple):
    """One reply: how long it took, and the place it shows, None when nothing is left."""

    seconds: float
    place: str | None


def prepare(folder: str) -> None:
    """Django on a new SQLite file in `folder`."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "variorum.settings", "VARIORUM_DATA_DIR": folder}
    # The same readers come more than once, by the same links.
    os.environ["VARIORUM_DEMO"] = "1"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)


def payload(number: int) -> dict[str, Any]:
    """The choice item of that number: about 160 words before and after the gap, no two alike."""
    text = " ".join(WORDS)
    return {
        "left": [f"On the {number}th page we read: {text}"],
        "right": [f"{text} So much for item {number}."],
        "options": [f"Passage {number}.{option}: {' '.join(WORDS[:25])}" for option in range(3)],
        "language": "en",
        "citation": "A critic",
        "book": "A book",
    }


def entries(number: int) -> Iterator[Any]:
    """So many choice items."""
    from annotation.items.payloads import FileItem

    for each in range(1, number + 1):
        yield FileItem(f"item {each}", payload(each), {"option": each % 3})


DOCUMENTS = 25
"""Documents of each topic of a study of relevance."""


def documents(number: int) -> Iterator[Any]:
    """So many documents of about 150 words, no two alike, each for one of the topics."""
    from annotation.items.payloads import FileItem
    from annotation.tasktypes.scales import SCALES

    text = " ".join(WORDS[:140])
    for each in range(1, number + 1):
        topic = (each - 1) // DOCUMENTS + 1
        payload = {
            "topic": {"id": f"t{topic}", "title": f"Tides of year {topic}", "description": text[:200]},
            "document": {"id": f"d{each}", "text": f"On the {each}th page we read: {text}"},
            "scale": SCALES["five"],
        }
        yield FileItem(f"item {each}", payload)


def open_study(
    slug: str, *, items: int, readers: int, overlap: int, task: str = "choice"
) -> tuple[list[str], float]:
    """An open study of choices, or of relevance; the readers' sign-in paths and the seconds that storing its
    items took.
    """
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.items import payloads
    from annotation.models import Role, Study
    from annotation.people import enrolments
    from annotation.studies import lifecycle
    from variorum.accounts import links
    from variorum.models import LinkKind

    study = Study.objects.create(slug=slug, title=slug, task=task, overlap=overlap, seed=7)
    start = time.perf_counter()
    made = entries(items) if task == "choice" else documents(items)
    payloads.add_payloads(study, made, by=None)
    stored = time.perf_counter() - start
    paths = []
    for number in range(max(readers, overlap)):
        user = User.objects.create_user(f"{slug}-{number}")
        enrolments.enrol(study, user, Role.ANNOTATOR)
        paths.append(links.make(user, LinkKind.DEMO))
    lifecycle.open_study(study, by=None, now=timezone.now())
    return paths[:readers], stored


@contextmanager
def served(processes_of_web: int = 2) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The web server on a port that the kernel gave, and its process."""
    from django.db import connections

    from variorum.server import processes

    connections.close_all()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    web = subprocess.Popen(processes.web_command("127.0.0.1", port, processes_of_web))
    try:
        if not processes.wait_until_answering(
            f"http://127.0.0.1:{port}/login/", 60, lambda: web.poll() is None
        ):
            raise SystemExit("The web server did not answer within a minute.")
        yield port, web
    finally:
        web.terminate()
        web.wait(20)


@contextmanager
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="variorum-bench-") as made:
        yield made


class Person:
    """A browser's part of the work: cookies, the form's hidden fields, one connection kept open."""

    def __init__(self, port: int, link: str, *, prefetch: bool = False) -> None:
        self.port, self.cookies, self.page = port, {}, ""  # type: tuple[int, dict[str, str], str]
        self.prefetch, self.waits = prefetch, ""
        self.connection = self.opened()
        address, _, code = link.partition("#")
        self.ask("GET", address)
        page = self.ask("POST", address, {"token": code}).headers["Location"]
        self.ask("POST", page, {"press": "1"})

    def opened(self) -> HTTPConnection:
        """A connection to the site, which connects when it is first used."""
        return HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(
        self, method: str, path: str, data: dict[str, str] | None = None, prefetch: str = ""
    ) -> HTTPResponse:
        """One request, its page kept in `page`; a connection that the server closed is opened again.

        `prefetch` names what waits in the page, as `annotation.assignment.prefetch` does.
        """
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        headers |= {"X-Prefetched": prefetch} if prefetch else {}
        body = None
        if data is not None:
            token = self.cookies.get("csrf") or self.cookies.get("csrftoken") or ""
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": token}
            headers |= {"HX-Request": "true"} if path.startswith("/work/") else {}
            headers |= {"X-Prefetched": self.waits} if self.waits else {}
            body = urlencode(data)
        try:
            self.connection.request(method, path, body, headers)
            reply = self.connection.getresponse()
        except (RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self.connection.close()
            self.connection.request(method, path, body, headers)
            reply = self.connection.getresponse()
        self.page = reply.read().decode()
        for cookie in reply.headers.get_all("Set-Cookie") or []:
            name, value = cookie.split(";", 1)[0].split("=", 1)
            self.cookies[name] = value
        return reply

    def begin(self, slug: str) -> str | None:
        """The first or next item of a study, by the button of its first page."""
        self.ask("GET", f"/studies/{slug}/begin/")
        reply = self.ask("POST", f"/studies/{slug}/begin/", {})
        at = reply.headers.get("Location", "")
        if "/work/" not in at:
            return None
        self.ask("GET", at)
        self.confirm()
        return at

    def tab(self) -> Person:
        """Another tab of the same browser: the same session, a connection and a page of its own."""
        other = copy(self)
        other.cookies, other.page = dict(self.cookies), ""
        other.connection = self.opened()
        return other

    def confirm(self) -> bool:
        """Go on from the announcement of a group to its first item; whether the page was one."""
        found = re.search(r'action="(/work/\d+/group/)"', self.page)
        if found:
            self.ask("POST", found.group(1), {})
        return found is not None

    def form(self, answer: int) -> dict[str, str]:
        """What the page's form sends for the option that stands there, from 0, or for a grade."""
        field = "grade" if 'name="grade"' in self.page else "position"
        return {name: self.field(name) for name in ("submission", "revision")} | {field: str(answer)}

    def place(self) -> str | None:
        """The address of the item on the page; None where it shows none."""
        found = re.search(r'action="(/work/\d+/)"', self.page)
        return found.group(1) if found else None

    def answer(self, place: str, position: int) -> Step:
        """Submit an option, or a grade, and get the next item, which is one request under htmx; where a group
        is announced before it, that is confirmed and no part of the step.

        With `prefetch` its text is asked for before, as the page does while one reads: no part of the step.
        """
        data = self.form(position)
        if self.prefetch:
            self.waits = self.ask("GET", f"{place}prefetch/").headers.get("X-Prefetched", "")
        start = time.perf_counter()
        reply = self.ask("POST", place, data)
        taken = time.perf_counter() - start
        if reply.status == 200 and (self.place() or self.confirm()) and (shown := self.place()):
            return Step(taken, shown)
        if reply.status in (302, 204) or reply.headers.get("HX-Redirect"):
            return Step(taken, None)
        raise SystemExit(f"{place} answered {reply.status}: {self.page[:300]}")

    def field(self, name: str) -> str:
        found = re.search(FIELD.format(name), self.page)
        if found is None:
            raise SystemExit(f"The page has no field {name!r}.")
        return found.group(1)

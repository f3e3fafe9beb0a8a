"""A04 and I01 against the web server itself, over a socket: the clock of a reply, and what is too large."""

from __future__ import annotations

import json
import random
import re
import socket
import statistics
import sys
import time
from base64 import b64encode
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases.installation import idle, installation
from tests.cases.test_R09_database_stopped import ROOM, Reader
from variorum.server import processes

pytestmark = pytest.mark.long
EACH = 500
"""Submissions of each kind at least: of three options one is right."""
TOKEN = "a" * 32
MOST_SHARE, MOST_SECONDS = 0.05, 0.002
"""What the medians of two kinds may differ by: less than both, where the machine does little else."""
READ_BY_OTHERS = """
import uuid
from datetime import timedelta
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Item, Study
n = int(sys.argv[1])
study = builders.study("timed", items=n, overlap=2)
study.lease_minutes = 600
study.save()
for at, item in enumerate(study.items.order_by("number")):
    builders.rewrite([item], gold={"option": at % 2})
ben = builders.enrolment(study, builders.person("Ben"))
me = builders.enrolment(study, builders.person("Cleo"))
now = timezone.now()
# Of every four items two are judged by somebody else already.
for item in study.items.filter(number__in=[i for i in range(1, n + 1) if i % 4 in (1, 2)]):
    place = item.assignments.first()
    later = now + timedelta(days=1)
    Assignment.objects.filter(pk=place.pk).update(annotator=ben, status="held", lease_until=later)
    place.refresh_from_db()
    submit(place, ben, Submission(uuid.uuid4(), "answer", {"option": 1}), now=now)
store = import_module(settings.SESSION_ENGINE).SessionStore()
store[SESSION_KEY], store[BACKEND_SESSION_KEY] = str(me.user_id), settings.AUTHENTICATION_BACKENDS[0]
store[HASH_SESSION_KEY] = me.user.get_session_auth_hash()
store.save()
print(json.dumps([store.session_key, next_assignment(me, now=now).pk]))
"""
TOLD = """
from annotation.models import Judgment, Item
found = {}
for each in Judgment.objects.filter(annotator__user__username="cleo").select_related("assignment__item"):
    item = each.assignment.item
    right = each.answer["option"] == item.gold["option"]
    judged = item.assignments.filter(status="done").count() > 1
    found[str(each.submission)] = [right, judged]
print(json.dumps(found))
"""


@contextmanager
def served(here):
    """The site as it is served, with one process for pages: its address, and that process."""
    here.manage("collectstatic", "--no-input", "--verbosity", "0")
    with socket.create_server(("127.0.0.1", 0)) as door:
        host, port = door.getsockname()
    command = processes.web_command(host, port, 1)[1:]
    with here.started(*command) as web:
        url = f"http://{host}:{port}/login/"
        assert processes.wait_until_answering(url, 300, lambda: web.poll() is None)
        children = Path(f"/proc/{web.pid}/task/{web.pid}/children").read_text().split()
        yield (host, port), int(children[0])


def held(pid: int) -> float:
    """The most memory in MB that a process has held since its mark was taken back."""
    said = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", said)[1]) / 1024


def sent(at, head: str, *pieces: bytes) -> tuple[str, float]:
    """Send a request as it stands; return what is answered, and the seconds until its first byte."""
    with socket.create_connection(at, timeout=20) as line:
        line.sendall(head.encode())
        try:
            for piece in pieces:
                line.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        began, text = time.monotonic(), b""
        try:
            while data := line.recv(65536):
                text += data
                if b"\r\n\r\n" in text and b"Connection: close" not in text:
                    break
        except (ConnectionResetError, TimeoutError):
            pass
        return text.decode(errors="replace"), time.monotonic() - began


def form(*parts: bytes, edge: bytes = b"edge") -> bytes:
    return b"".join(b"--" + edge + b"\r\n" + part + b"\r\n" for part in parts) + b"--" + edge + b"--\r\n"


def post(length: int, kind: str = "multipart/form-data; boundary=edge") -> str:
    lines = ["POST /login/ HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", f"Content-Length: {length}"]
    # With a token: without one nothing is read at all.
    lines += [f"Cookie: csrf={TOKEN}", f"X-CSRFToken: {TOKEN}"]
    return "\r\n".join([*lines, "Connection: close", "", ""])


def test_I01_what_is_too_large_is_refused_in_little_memory_and_time(tmp_path, capsys):
    """200 MB only announced, 50 and 30 MB in base64, 10,000 fields, a length that says too little."""
    encoded = b64encode(b"\0" * (22 << 20))
    base64 = (
        b'Content-Disposition: form-data; name="file"; filename="i"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\n"
    )
    field = b'Content-Disposition: form-data; name="f"\r\n\r\nx'
    large = form(base64 + b64encode(b"\0" * (37 << 20)))
    plain = form(b'Content-Disposition: form-data; name="file"; filename="i"\r\n\r\n' + encoded)
    taken, many = form(base64 + encoded), form(*[field] * 10_000)
    said = {}
    with installation(tmp_path / "here") as here, served(here) as (at, pid):
        sent(at, post(len(form(field))), form(field))
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        before = held(pid)
        for name, head, body in [
            ("200 MB announced", post(200 << 20), b"x" * 65536),
            ("50 MB in base64", post(len(large)), large),
            ("30 MB as they are", post(len(plain)), plain),
            ("30 MB in base64", post(len(taken)), taken),
            ("10,000 fields", post(len(many)), many),
            ("a length that says too little", post(40), form(field) * 1000),
            ("a length below nothing", post(-1), form(field)),
            ("two lengths", post(5).replace("Connection:", "Content-Length: 9\r\nConnection:"), b"x" * 9),
        ]:
            reply, seconds = sent(at, head, body)
            said[name] = (reply[9:12], round(seconds, 2), round(held(pid) - before))
        after, _ = sent(at, post(len(form(field))), form(field))
    with capsys.disabled():
        sys.stdout.write(f"\nI01: status, seconds, MB: {said}\n")
    assert after.startswith("HTTP/1.1 ")
    status = {name: each[0] for name, each in said.items()}
    assert (status["200 MB announced"], status["50 MB in base64"]) == ("413", "413")
    # It is as large as a file may be, and read; that it signs nobody in is another matter.
    assert status["30 MB in base64"] in ("200", "400", "413")
    assert status["10,000 fields"] in ("400", "413")
    assert status["a length that says too little"] in ("200", "400", "")
    assert (status["a length below nothing"], status["two lengths"]) == ("400", "400")
    assert {name: grown for name, (_, _, grown) in said.items() if grown >= 64} == {}
    if idle():
        assert {name: seconds for name, (_, seconds, _) in said.items() if seconds > 2} == {}


def test_A04_the_clock_tells_nothing_of_gold_or_of_others(tmp_path, capsys):
    """Right and wrong, judged by others and fresh, in an order drawn at random; medians are compared.

    Each item is one of four: what a machine does beside it falls on all of them alike.
    """
    with installation(tmp_path / "here") as here:
        key, place = here.told(ROOM.partition("study, ada")[0] + READ_BY_OTHERS, 3 * EACH)
        took = {}
        with served(here) as (at, _):
            reader = Reader(f"{at[0]}:{at[1]}", f"variorum={key}", place)
            draw = random.Random(1817)
            for _ in range(3 * EACH):
                # Each page adds its cookie to those before.
                reader.cookie = f"variorum={key}"
                body = reader.form().replace("position=1", f"position={draw.randrange(2)}")
                began = time.perf_counter()
                status, _ = reader.send(body)
                seconds = time.perf_counter() - began
                assert status in (200, 204, 302)
                took[re.search(r"submission=([\w-]+)", body)[1]] = seconds
        told = here.told(TOLD)
    groups = {}
    for name, (right, judged) in told.items():
        groups.setdefault(("gold", right), []).append(took[name])
        groups.setdefault(("judged by others", judged), []).append(took[name])
    assert {what: len(each) for what, each in groups.items() if len(each) < 0.8 * EACH} == {}
    medians = {what: statistics.median(each) for what, each in groups.items()}
    with capsys.disabled():
        shown = {f"{what}: {yes}": f"{1000 * each:.2f} ms" for (what, yes), each in medians.items()}
        sys.stdout.write(f"\nA04: {len(took)} submissions, medians {json.dumps(shown)}\n")
    for what in ("gold", "judged by others"):
        one, other = medians[what, True], medians[what, False]
        bounds = MOST_SECONDS, MOST_SHARE * min(one, other)
        most = min(bounds) if idle() else max(bounds)
        assert abs(one - other) < most, (what, one, other)

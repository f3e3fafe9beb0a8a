"""Clients that send or read slowly, on purpose or not: they wait, and nobody else does.

The attacks are made for real, on loopback, against the web server as `serve` starts it, with one process of
eight threads. Before, each held its threads without end, so that nobody else was answered at all.
"""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from tests.retrieval import processes as helpers
from variorum.server import processes

pytestmark = pytest.mark.services

PATIENT = 120
"""Seconds for what is done at once on a machine with nothing else to do."""
MANY = 60
COOKIE = "Cookie: csrf=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
HEAD = f"Host: localhost\r\n{COOKIE}Content-Type: application/x-www-form-urlencoded\r\n"
BODY = f"POST /login/ HTTP/1.1\r\n{HEAD}Content-Length: 1000\r\n\r\nx"
"""Of a thousand bytes one."""
LARGE = f"POST /login/ HTTP/1.1\r\n{HEAD}Content-Length: 30000000\r\n\r\nx"
TOO_LARGE = f"POST /login/ HTTP/1.1\r\n{HEAD}Content-Length: 50000000\r\n\r\nx"
CHUNKED = f"POST /login/ HTTP/1.1\r\n{HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nx"
PART_OF_A_HEAD = "GET /login/ HTTP/1.1\r\nHost: localh"
SECOND = f"GET /login/ HTTP/1.1\r\nHost: localhost\r\n\r\n{BODY}"
NOT_READ = "GET /static/annotation/variorum.css HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
"""More than the buffers of any connection hold."""
HURRIED = """
from variorum.server import arrivals
arrivals.GRACE_SECONDS = 0.2
from variorum.gunicorn_hooks import *
"""
LIMITED = """
from variorum.server import web_worker
web_worker.MOST_ARRIVING, web_worker.MOST_LARGE = 5, 2
from variorum.gunicorn_hooks import *
"""


class Site:
    def __init__(self, port, web):
        self.port, self.web = port, web

    def connected(self, source="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), PATIENT, source_address=(source, 0))

    def asked(self, method="GET", path="/login/", body=None, source="127.0.0.1", **headers):
        """One request on a connection of its own: status and text."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, PATIENT, source_address=(source, 0))
        with contextlib.closing(client):
            client.request(method, path, body, {"Host": "localhost", **headers})
            reply = client.getresponse()
            return reply.status, reply.read()


@contextlib.contextmanager
def running(folder, config="", workers=1, **environment):
    """The web server; `config` replaces its settings, for limits that one can reach in a test."""
    command = processes.web_command("127.0.0.1", 0, workers)
    environment = helpers.alone(folder) | environment
    if config:
        (folder / "config.py").write_text(config)
        command[command.index("--config") + 1] = str(folder / "config.py")
    with socket.create_server(("127.0.0.1", 0), backlog=256) as door:
        port = door.getsockname()[1]
        command[command.index("--bind") + 1] = f"fd://{door.fileno()}"
        web = subprocess.Popen(command, env=environment, pass_fds=[door.fileno()], start_new_session=True)
    try:
        address = f"http://127.0.0.1:{port}/login/"
        assert processes.wait_until_answering(address, PATIENT, lambda: web.poll() is None, "localhost")
        yield Site(port, web)
        assert web.poll() is None, "the web server ended"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(web.pid, signal.SIGKILL)
        web.wait()


def prepared(folder):
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
    subprocess.run(collect, env=helpers.alone(folder), check=True)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory, embedded):
    return prepared(embedded(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def site(folder):
    with running(folder) as started:
        yield started


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(BODY, id="a body"),
        pytest.param(LARGE, id="a large body"),
        pytest.param(TOO_LARGE, id="a body that is too large"),
        pytest.param(CHUNKED, id="a body in chunks"),
        pytest.param(PART_OF_A_HEAD, id="a head"),
        pytest.param(SECOND, id="a second request"),
        pytest.param("", id="nothing"),
        pytest.param(NOT_READ, id="replies not read"),
    ],
)
def test_sixty_slow_connections_keep_nobody_waiting(site, sent):
    with contextlib.ExitStack() as slow:
        for _ in range(MANY):
            each = slow.enter_context(site.connected())
            each.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                each.send(sent.encode())
        for _ in range(10):
            assert site.asked()[0] == 200
            assert site.asked("POST", body="username=x")[0] == 403


def test_what_comes_in_pieces_is_read_whole(site):
    """Byte by byte, and with a body that goes through a file."""
    body = json.dumps({"password": "x" * 300_000}).encode()
    head = (
        f"POST /api/v1/studies/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    )
    with site.connected() as client:
        for at in range(len(head)):
            client.sendall(head[at : at + 1])
        for at in range(0, len(body), 50_000):
            client.sendall(body[at : at + 50_000])
        reply = http.client.HTTPResponse(client)
        reply.begin()
        assert reply.status in (401, 403)


def reply(client):
    """What the server says before it closes the connection."""
    said = b""
    while data := client.recv(65536):
        said += data
    return said.decode()


def test_a_request_that_takes_too_long_is_told_so_and_one_that_never_begins_is_closed(folder):
    with running(folder, HURRIED) as site, site.connected() as client, site.connected() as silent:
        client.sendall(BODY.encode())
        assert reply(client).startswith("HTTP/1.1 408 Request Timeout\r\nConnection: close")
        assert reply(silent) == ""


@pytest.mark.parametrize(("sent", "most"), [(BODY, 5), (LARGE, 2)])
def test_one_client_may_send_so_many_at_once_and_others_are_not_counted_with_it(folder, sent, most):
    with running(folder, LIMITED) as site, contextlib.ExitStack() as slow:
        for _ in range(most):
            slow.enter_context(site.connected()).sendall(sent.encode())
        with site.connected() as further:
            further.sendall(sent.encode())
            assert reply(further).startswith("HTTP/1.1 503 Service Unavailable")
        with site.connected("127.0.0.2") as other:
            other.sendall(f"{PART_OF_A_HEAD}ost\r\nConnection: close\r\n\r\n".encode())
            assert reply(other).startswith("HTTP/1.1 200 OK")


def test_behind_proxies_of_ours_the_address_is_theirs_and_no_client_s(folder):
    with running(folder, LIMITED, VARIORUM_PROXIES="1") as site, contextlib.ExitStack() as slow:
        for _ in range(10):
            slow.enter_context(site.connected()).sendall(BODY.encode())
        assert site.asked()[0] == 200


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(site):
    head = BODY.replace("\r\n\r\nx", "\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
    with site.connected() as client:
        client.sendall(head.encode())
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"x" * 1000)
        # Not a second time by gunicorn, which sees the header as well.
        assert reply(client).startswith("HTTP/1.1 403 Forbidden")


def test_a_head_that_never_ends_is_refused(site):
    with site.connected() as client:
        client.sendall(b"GET / HTTP/1.1\r\n" + b"X-Long: " + b"x" * 70_000)
        assert reply(client).startswith("HTTP/1.1 431 ")


def test_what_was_not_read_of_a_body_is_not_taken_for_the_next_request(site):
    """Of a body that is too large nothing is waited for: whatever follows, the connection ends."""
    hidden = "GET /login/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for head in (TOO_LARGE[:-1], CHUNKED[:-1]):
        with site.connected() as client:
            client.sendall(f"{head}{hidden}".encode())
            assert "HTTP/1.1 200 OK" not in reply(client)


def test_requests_in_a_row_are_answered_in_a_row(site):
    asked = "GET /login/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = asked.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    with site.connected() as client:
        client.sendall((asked * 3 + last).encode())
        assert reply(client).count("HTTP/1.1 200 OK") == 4

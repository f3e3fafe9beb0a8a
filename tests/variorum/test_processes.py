"""Web and worker in one process group: what the end of one means for the other."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from variorum import processes
from variorum.management.commands import serve

FOREVER = [sys.executable, "-c", "import time; time.sleep(600)"]
ENDS = [sys.executable, "-c", "raise SystemExit(3)"]
DEAF = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""
PATIENT = 120
"""Seconds that a loaded machine may take for what is done at once elsewhere."""


class Watched:
    """Runs the pair in this process; `ready` notes the children and calls `then` a moment later."""

    def __init__(self, monkeypatch):
        self.said, self.children = [], []
        original = subprocess.Popen

        def remembered(command, **more):
            child = original(command, **more)
            self.children.append(child)
            return child

        monkeypatch.setattr(processes.subprocess, "Popen", remembered)

    def run(self, web, worker, then=None):
        def ready(alive):
            if then:
                threading.Timer(0.5, then, [self]).start()

        return processes.run(web, worker, ready=ready, say=self.said.append)


@pytest.fixture
def pair(monkeypatch):
    monkeypatch.setattr(processes, "POLL_SECONDS", 0.05)
    watched = Watched(monkeypatch)
    yield watched
    for child in watched.children:
        assert child.poll() is not None, "a child was left behind"


def test_the_end_of_the_web_ends_everything(pair):
    assert pair.run(ENDS, FOREVER) == 1
    assert pair.said == ["The web server ended with status 3, so everything was stopped."]


def test_the_end_of_the_worker_is_announced_and_the_site_goes_on(pair):
    def later(watched):
        while not watched.said:
            time.sleep(0.05)
        assert watched.children[0].poll() is None
        os.kill(os.getpid(), signal.SIGTERM)

    assert pair.run(FOREVER, ENDS, then=later) == 0
    assert pair.said[0].startswith("The worker ended with status 3.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_both(pair, number):
    before = signal.getsignal(number)
    assert pair.run(FOREVER, FOREVER, then=lambda _: os.kill(os.getpid(), number)) == 0
    assert (pair.said, signal.getsignal(number)) == ([], before)


def test_a_child_that_does_not_listen_is_killed(pair, monkeypatch, tmp_path):
    def once_deaf(watched):
        while not (tmp_path / "deaf").exists() and watched.children[1].poll() is None:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 0.5)
    deaf = [sys.executable, "-c", DEAF, str(tmp_path / "deaf")]
    assert pair.run(FOREVER, deaf, then=once_deaf) == 0
    assert pair.children[1].returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for it")
def test_both_end_with_the_command_that_is_killed():
    program = (
        "from variorum import processes\n"
        f"processes.run({FOREVER}, {FOREVER}, ready=lambda alive: print('ready', flush=True), say=print)"
    )
    command = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert command.stdout.readline() == b"ready\n"
    command.kill()
    # The children have this pipe, too: it ends with the last of them.
    assert command.communicate(timeout=PATIENT) == (b"", None)


def test_a_port_in_use_is_seen():
    with processes.socket.create_server(("127.0.0.1", 0)) as server:
        assert processes.is_taken("127.0.0.1", server.getsockname()[1])


def test_waiting_for_the_site_ends_with_its_process():
    assert not processes.answers("http://127.0.0.1:9/", 60, alive=lambda: False)


@contextmanager
def answering(name="", **settings):
    """The web and its address, at a port that was free a moment ago; at another if somebody was quicker."""
    for _ in range(3):
        with processes.socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        asked = f"http://127.0.0.1:{port}/api/v1/schema/"
        command = processes.web_command("127.0.0.1", port, 1)
        web = subprocess.Popen(command, env={**os.environ, **settings}, start_new_session=True)
        try:
            if processes.answers(asked, PATIENT, lambda web=web: web.poll() is None, name):
                yield web, asked
                return
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(web.pid, signal.SIGKILL)
            web.wait()
    raise AssertionError(f"The web server ended with status {web.returncode}, time and again.")


def test_a_site_that_knows_one_name_and_https_only_is_asked_for_it():
    with answering("a.example", VARIORUM_HOSTS="a.example", VARIORUM_HTTPS="1") as (web, asked):
        assert not processes.answers(asked, 0.5, lambda: web.poll() is None)


@pytest.mark.parametrize(
    ("hosts", "name"),
    [(["a.example", "b"], "a.example"), ([".a.example"], "a.example"), (["*"], "localhost")],
)
def test_the_site_is_called_by_the_first_of_its_names(settings, hosts, name):
    settings.ALLOWED_HOSTS = hosts
    assert serve.site_name() == name


class Willing(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()


def test_the_site_is_asked_itself_and_no_proxy(monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    pulse = iter([True] * 50)
    with HTTPServer(("127.0.0.1", 0), Willing) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{site.server_port}/"
        try:
            assert processes.answers(address, PATIENT, alive=lambda: next(pulse, False))
        finally:
            site.shutdown()


def test_a_ctrl_c_of_the_terminal_leaves_the_web_to_be_asked_to_end():
    with answering() as (web, _):
        os.killpg(web.pid, signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            web.wait(timeout=1)
        web.terminate()
        assert web.wait(timeout=PATIENT) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(web.pid, 0)

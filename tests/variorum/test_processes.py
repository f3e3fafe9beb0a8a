"""Web and worker in one process group: what the end of one means for the other."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from variorum import processes
from variorum.management.commands import serve

FOREVER = [sys.executable, "-c", "import time; time.sleep(60)"]
ENDS = [sys.executable, "-c", "raise SystemExit(3)"]
DEAF = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"]


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


def test_a_child_that_does_not_listen_is_killed(pair, monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE_SECONDS", 0.5)
    assert pair.run(FOREVER, DEAF, then=lambda _: os.kill(os.getpid(), signal.SIGTERM)) == 0


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
    assert command.communicate(timeout=20) == (b"", None)


def test_a_port_in_use_is_seen():
    with processes.socket.create_server(("127.0.0.1", 0)) as server:
        assert processes.is_taken("127.0.0.1", server.getsockname()[1])


def test_waiting_for_the_site_ends_with_its_process():
    assert not processes.answers("http://127.0.0.1:9/", 60, alive=lambda: False)


def test_a_site_that_knows_one_name_and_https_only_is_asked_for_it():
    with processes.socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    shape = {**os.environ, "VARIORUM_HOSTS": "a.example", "VARIORUM_HTTPS": "1"}
    command = processes.web_command("127.0.0.1", port, 1)
    with subprocess.Popen(command, env=shape, stderr=subprocess.DEVNULL) as web:
        try:
            asked = f"http://127.0.0.1:{port}/api/v1/schema/"
            assert processes.answers(asked, 60, lambda: web.poll() is None, "a.example")
            assert not processes.answers(asked, 0.5, lambda: web.poll() is None)
        finally:
            web.terminate()


@pytest.mark.parametrize(
    ("hosts", "name"),
    [(["a.example", "b"], "a.example"), ([".a.example"], "a.example"), (["*"], "localhost")],
)
def test_the_site_is_called_by_the_first_of_its_names(settings, hosts, name):
    settings.ALLOWED_HOSTS = hosts
    assert serve.site_name() == name


def test_a_ctrl_c_of_the_terminal_leaves_the_web_to_be_asked_to_end():
    with processes.socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    web = subprocess.Popen(processes.web_command("127.0.0.1", port, 1), start_new_session=True)
    try:
        assert processes.answers(f"http://127.0.0.1:{port}/api/v1/schema/", 60, lambda: web.poll() is None)
        os.killpg(web.pid, signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            web.wait(timeout=1)
        web.terminate()
        assert web.wait(timeout=20) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(web.pid, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(web.pid, signal.SIGKILL)
        web.wait()

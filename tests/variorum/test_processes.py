"""Web and worker as children of one command: what the end of one means for the other."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.management.base import CommandError

from variorum.management.commands import serve
from variorum.server import leftovers, processes, restarting

# They start processes and wait for their ends.
pytestmark = pytest.mark.services
FOREVER = [sys.executable, "-c", "import time; time.sleep(600)"]
ENDS = [sys.executable, "-c", "raise SystemExit(3)"]
DEAF = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""
DEAF_WITH_A_CHILD = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
with pathlib.Path(sys.argv[1]).open("a") as file:
    print(os.getpid(), file=file)
time.sleep(600)
"""
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for it")
PATIENT = 120
"""Seconds that a loaded machine may take for what is done at once elsewhere."""


class Watched:
    """Runs the pair in this process; `ready` notes the children and calls `then` a moment later."""

    def __init__(self, monkeypatch, folder):
        self.said, self.children, self.folder = [], [], folder
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

        return processes.run(web, worker, ready=ready, say=self.said.append, folder=self.folder)


@pytest.fixture
def pair(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "POLL_SECONDS", 0.05)
    watched = Watched(monkeypatch, tmp_path)
    yield watched
    assert list((tmp_path / "running").iterdir()) == [], "a record was left behind"
    for child in watched.children:
        assert child.poll() is not None, "a child was left behind"


def test_the_end_of_the_web_ends_everything(pair):
    assert pair.run(ENDS, FOREVER) == 1
    assert pair.said == ["The web server ended with status 3, so everything was stopped."]


def test_a_worker_that_ends_is_announced_and_started_again_and_the_site_goes_on(pair, monkeypatch):
    monkeypatch.setattr(restarting, "FIRST_SECONDS", 0.2)
    seen = []

    def later(watched):
        while len(watched.said) < 3:
            time.sleep(0.05)
        seen.append(watched.children[0].poll())
        os.kill(os.getpid(), signal.SIGTERM)

    assert pair.run(FOREVER, ENDS, then=later) == 0
    assert seen == [None], "the web had ended"
    assert pair.said[:3] == [
        "The worker ended with status 3. The site goes on and jobs wait; it is started again in 0 s.",
        "The worker was started again (try 1).",
        "The worker ended with status 3. The site goes on and jobs wait; it is started again in 0 s.",
    ]


def stop_after(count):
    """Ask the command to end once so many sentences were said."""

    def stop(watched):
        web = watched.children[0]
        while len(watched.said) < count and web.poll() is None:
            time.sleep(0.05)
        if web.poll() is None:
            os.kill(os.getpid(), signal.SIGTERM)

    return stop


def test_records_that_cannot_be_kept_are_said_once_and_the_site_goes_on(pair, monkeypatch, tmp_path):
    monkeypatch.setattr(restarting, "FIRST_SECONDS", 0.2)
    (tmp_path / "running").mkdir()
    pair.folder = tmp_path / "full"
    pair.folder.mkdir()
    (pair.folder / "running").touch()
    assert pair.run(FOREVER, ENDS, then=stop_after(5)) == 0
    assert pair.said[0].startswith("What runs cannot be written down, and the site goes on: [Errno ")
    assert sum("written down" in each for each in pair.said) == 1
    assert "The worker was started again (try 1)." in pair.said


def test_a_worker_that_cannot_be_started_is_tried_again_and_the_site_goes_on(pair, monkeypatch):
    monkeypatch.setattr(restarting, "FIRST_SECONDS", 0.2)
    started, failures = processes.start_child, [OSError(11, "Resource temporarily unavailable")] * 2

    def start(command, *listening_socket):
        if command == FOREVER[:1] and failures:
            raise failures.pop()
        return started([*FOREVER], *listening_socket)

    monkeypatch.setattr(processes, "start_child", start)
    assert pair.run(FOREVER, FOREVER[:1], then=stop_after(3)) == 0
    assert pair.said == [
        "The worker could not be started ([Errno 11] Resource temporarily unavailable). "
        "The site goes on and jobs wait; it is started again in 0 s."
    ] * 2 + ["The worker was started again (try 2)."]


def test_a_terminal_that_takes_no_word_ends_nothing(pair, monkeypatch):
    monkeypatch.setattr(restarting, "FIRST_SECONDS", 0.2)

    def say(sentence):
        pair.said.append(sentence)
        raise OSError(28, "No space left on device")

    def ready(alive):
        threading.Timer(0.5, stop_after(2), [pair]).start()

    assert processes.run(FOREVER, ENDS, ready=ready, say=say, folder=pair.folder) == 0


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


def serving(folder, worker):
    """A command of its own that runs web and worker; it says when it has begun."""
    program = (
        "import pathlib\nfrom variorum.server import processes\n"
        "processes.run("
        f"{FOREVER}, {worker}, ready=lambda alive: print('ready', flush=True), say=print, "
        f"folder=pathlib.Path({str(folder)!r}))"
    )
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)


@ON_LINUX
def test_both_end_with_the_command_that_is_killed(tmp_path):
    command = serving(tmp_path, FOREVER)
    assert command.stdout.readline() == b"ready\n"
    command.kill()
    # The children have this pipe, too: it ends with the last of them.
    assert command.communicate(timeout=PATIENT) == (b"", None)


@ON_LINUX
def test_the_next_start_ends_what_a_killed_one_left_behind(tmp_path):
    """A worker that does not listen, and what it made of itself: the next start finds and ends both."""
    noted = tmp_path / "pids"
    command = serving(tmp_path, [sys.executable, "-c", DEAF_WITH_A_CHILD, str(noted)])
    try:
        assert command.stdout.readline() == b"ready\n"
        while not noted.exists() or len(noted.read_text().splitlines()) < 2:
            assert command.poll() is None
            time.sleep(0.05)
        deaf = {int(line) for line in noted.read_text().split()}
        leftovers.end_leftovers(tmp_path, 0.2, pytest.fail)
        assert all(leftovers.find_process(pid) for pid in deaf), "a start that lives was touched"
    finally:
        command.kill()
        command.wait()
    assert all(leftovers.find_process(pid) for pid in deaf), "they were to survive, or this shows nothing"
    said = []
    leftovers.end_leftovers(tmp_path, 0.2, said.append)
    # Killed is killed, but a busy machine may take its time to bury them.
    until = time.monotonic() + PATIENT
    while any(leftovers.find_process(pid) for pid in deaf) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(leftovers.find_process(pid) for pid in deaf)
    (sentence,) = said
    assert all(str(pid) in sentence for pid in deaf)
    assert list((tmp_path / "running").iterdir()) == []
    # The pipe ends with the last of them.
    assert command.communicate(timeout=PATIENT) == (b"", None)


@ON_LINUX
@pytest.mark.parametrize("differs", ["start", "command", "group", "boot"])
def test_a_process_that_only_has_the_number_is_left_alone(tmp_path, differs):
    with subprocess.Popen(FOREVER, process_group=0 if differs != "group" else None) as other:
        child = leftovers.describe_child(other.pid, FOREVER)
        if differs == "start":
            child = child._replace(start=child.start - 1)
        if differs == "command":
            child = child._replace(command=["gunicorn"])
        record = leftovers.write_record(tmp_path, [child])
        said = json.loads(record.read_text())
        said["own"] = [os.getpid(), 1, []]
        said["boot"] += "x" if differs == "boot" else ""
        record.write_text(json.dumps(said))
        leftovers.end_leftovers(tmp_path, 0.1, pytest.fail)
        assert not record.exists()
        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"own": 1, "children": []}'])
def test_a_record_that_says_nothing_is_removed(tmp_path, text):
    (tmp_path / "running").mkdir()
    (tmp_path / "running/serve-1.json").write_text(text)
    leftovers.end_leftovers(tmp_path, 0.1, pytest.fail)
    assert list((tmp_path / "running").iterdir()) == []


def test_what_is_no_record_is_left_alone(tmp_path):
    (tmp_path / "running/serve-1.json").mkdir(parents=True)
    leftovers.end_leftovers(tmp_path, 0.1, pytest.fail)
    assert (tmp_path / "running/serve-1.json").is_dir()


def test_a_start_holds_its_port_before_it_prepares_anything(monkeypatch, settings, tmp_path):
    """Another start on it, which comes meanwhile, is told so, and never takes our site for its own."""
    settings.DATA_DIR, doors, given = tmp_path, [], []
    opened = processes.open_port

    def another():
        port = doors[0].getsockname()[1]
        with pytest.raises(CommandError, match=f"Something listens on 127.0.0.1:{port} already"):
            serve.Command().handle(host="127.0.0.1", port=port, workers=1)

    def become(site):
        given.append((site.web[site.web.index("--bind") + 1], site.listening))

    monkeypatch.setattr(processes, "open_port", lambda *at: doors.append(opened(*at)) or doors[-1])
    monkeypatch.setattr(serve.supervisor, "become", become)
    monkeypatch.setattr(serve.connections, "close_all", lambda: None)
    monkeypatch.setattr(serve.env, "port", lambda: 0)
    command = serve.Command()
    monkeypatch.setattr(command, "prepare", another)
    command.handle(host="127.0.0.1", port=None, workers=1)
    ((bound, number),) = given
    assert bound == f"fd://{number}"


def test_an_address_that_cannot_be_had_is_said():
    with pytest.raises(CommandError, match=r"^192\.0\.2\.1:8000 cannot be listened on: "):
        serve.opened("192.0.2.1", 8000)


def test_the_web_gets_the_socket_and_nobody_else_keeps_it(pair):
    with processes.open_port("127.0.0.1", 0) as listening_socket:
        number = listening_socket.fileno()
        program = f"import socket; raise SystemExit(socket.socket(fileno={number}).getsockname()[1] % 200)"
        port = listening_socket.getsockname()[1]
        web = [sys.executable, "-c", program]
        run = processes.run(
            web,
            FOREVER,
            ready=lambda _: None,
            say=pair.said.append,
            folder=pair.folder,
            listening_socket=listening_socket,
        )
        assert (run, pair.children[0].returncode, listening_socket.fileno()) == (1, port % 200, -1)


def test_waiting_for_the_site_ends_with_its_process():
    assert not processes.wait_until_answering("http://127.0.0.1:9/", 60, alive=lambda: False)


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
            if processes.wait_until_answering(asked, PATIENT, lambda web=web: web.poll() is None, name):
                yield web, asked
                return
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(web.pid, signal.SIGKILL)
            web.wait()
    raise AssertionError(f"The web server ended with status {web.returncode}, time and again.")


def test_a_site_that_knows_one_name_and_https_only_is_asked_for_it():
    with answering("a.example", VARIORUM_HOSTS="a.example", VARIORUM_HTTPS="1") as (web, asked):
        assert not processes.wait_until_answering(asked, 0.5, lambda: web.poll() is None)


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
            assert processes.wait_until_answering(address, PATIENT, alive=lambda: next(pulse, False))
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


def test_what_stays_of_serve_has_loaded_no_application():
    program = "import sys, variorum.server.supervisor; print([*{'django', 'celery', 'ssl'} & {*sys.modules}])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

"""The loop of the web server, turn by turn: what goes wrong with one connection ends that one only."""

import contextlib
import errno
import os
import selectors
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.db import connections
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from variorum import gunicorn_hooks
from variorum.server import arrivals, in_turn, web_worker
from variorum.server.web_worker import LINGER_SECONDS, MOST_LINGERING, WebWorker

HEAD = "POST /login/ HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /login/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
NO_ROOM = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")


class Loop:
    """A worker without threads, clients on pairs of sockets, and a clock that stands still."""

    def __init__(self, monkeypatch, stack):
        self.now, self.stack, self.handed = 1000.0, stack, []
        for module in (web_worker, in_turn):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        self.worker = WebWorker(0, os.getppid(), [], None, 30, Config(), Mock())
        self.worker.poller = stack.enter_context(selectors.DefaultSelector())
        self.worker.tpool = Mock()
        self.worker.tpool.submit.side_effect = lambda handle, conn: self.handed.append(conn) or Mock()

    def client(self, sent=b""):
        """A new connection, on which that much has come."""
        ours, theirs = (self.stack.enter_context(each) for each in socket.socketpair())
        theirs.setblocking(False)
        theirs.send(sent)
        self.worker.nr_conns += 1
        self.worker.enqueue_req(TConn(self.worker.cfg, ours, ("192.0.2.1", 1), ("127.0.0.1", 80)))
        return theirs

    def turn(self):
        self.worker.wait_for_and_dispatch_events(0)
        self.worker.murder_pending()


@pytest.fixture
def loop(monkeypatch):
    with contextlib.ExitStack() as stack:
        yield Loop(monkeypatch, stack)


def said(client):
    """What was said on a connection that is ended."""
    text = b""
    while data := client.recv(65536):
        text += data
    return text.decode()


def no_files(**kwargs):
    raise OSError(errno.EMFILE, "Too many open files")


def full_disk(buffering=-1, **kwargs):
    return open("/dev/full", "r+b", buffering)


@pytest.mark.parametrize("file", [no_files, pytest.param(full_disk, marks=NO_ROOM)])
def test_O03_a_large_body_for_which_there_is_no_room_is_refused_alone(loop, monkeypatch, file):
    monkeypatch.setattr(arrivals.tempfile, "TemporaryFile", file)
    client = loop.client(f"{HEAD}Content-Length: 100000\r\n\r\n".encode())
    if file is full_disk:
        client.send(bytes(60_000))
        loop.turn()
    assert said(client).startswith("HTTP/1.1 507 Insufficient Storage\r\nConnection: close")
    loop.client(GET)
    assert (len(loop.handed), loop.worker.arriving) == (1, {})


def test_a_large_body_is_read_piece_by_piece_whatever_the_parser_would_take_at_once(tmp_path):
    """gunicorn asks for all that is left of it, and copies what it holds at every read."""
    source = arrivals.ReceivedRequest(Mock())
    source.file = (tmp_path / "body").open("w+b")
    source.file.write(bytes(3 << 20))
    source.file.seek(0)
    assert len(source.read(1000, read_ahead=3 << 20)) == 1000
    assert len(source.take_buffered()) < arrivals.PIECE
    source.drop()


@NO_ROOM
def test_a_body_whose_last_bytes_find_no_room_is_refused(loop, monkeypatch):
    monkeypatch.setattr(arrivals.tempfile, "TemporaryFile", partial(full_disk, buffering=2**20))
    client = loop.client(f"{HEAD}Content-Length: 70000\r\n\r\n".encode())
    client.send(bytes(70_000))
    loop.turn()
    loop.turn()
    assert said(client).startswith("HTTP/1.1 507 ")


@pytest.mark.parametrize("where", ["take", "late_take", "drain"])
def test_what_nobody_thought_of_ends_one_connection(loop, monkeypatch, where):
    client = loop.client(b"GET /" if where == "late_take" else b"")
    if where == "drain":
        loop.worker._refuse(next(iter(loop.worker.arriving)), *web_worker.BUSY)
        (conn,) = loop.worker.lingering
        conn.sock = Mock(wraps=conn.sock, recv=Mock(side_effect=ValueError))
        loop.worker._drain(conn, conn.sock)
    else:
        with monkeypatch.context() as patched:
            patched.setattr(arrivals.IncomingRequest, "take", Mock(side_effect=ValueError))
            client.send(b"x")
            loop.turn()
    said(client)
    assert (loop.worker.nr_conns, loop.worker.arriving, loop.worker.lingering) == (0, {}, {})
    loop.client(GET)
    assert len(loop.handed) == 1


def test_without_files_for_new_connections_it_pauses_and_goes_on(loop):
    listener = loop.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    loop.worker.sockets = [listener]
    loop.worker.set_accept_enabled(True)
    loop.worker.accept(Mock(accept=Mock(side_effect=OSError(errno.EMFILE, "Too many open files"))))
    loop.worker.set_accept_enabled(True)
    assert loop.worker._accepting is False
    loop.now += web_worker.LOOK_SECONDS
    loop.worker.set_accept_enabled(True)
    assert loop.worker._accepting is True


def test_a_site_that_stops_waits_for_what_is_on_its_way_and_says_why_it_waits_for_nothing_else(loop):
    begun = f"{HEAD}Content-Length: 1000\r\n\r\n".encode()
    coming, stuck, silent = loop.client(begun), loop.client(begun), loop.client()
    loop.worker.alive = False
    loop.now += LINGER_SECONDS
    coming.send(b"x" * 500)
    loop.turn()
    loop.now += 1
    loop.turn()
    assert said(stuck).endswith(web_worker.STOPPING[2])
    assert said(silent) == ""
    coming.send(b"x" * 500)
    loop.turn()
    assert len(loop.handed) == 1


def test_a_head_that_ends_with_bare_lines_is_refused_at_once(loop):
    assert said(loop.client(GET.replace(b"\r\n", b"\n"))).startswith("HTTP/1.1 400 Bad Request")


def test_what_is_refused_fills_no_process(loop, monkeypatch):
    monkeypatch.setattr(web_worker, "MOST_ARRIVING", 0)
    clients = [loop.client() for _ in range(MOST_LINGERING + 5)]
    assert all(said(each).startswith("HTTP/1.1 503 ") for each in clients)
    assert loop.worker.nr_conns == len(loop.worker.lingering) == MOST_LINGERING


@pytest.fixture
def listener(loop):
    """Where one process of two listens."""
    made = loop.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    loop.worker.cfg.set("workers", 2)
    loop.worker.cfg.set("threads", 8)
    loop.worker.sockets = [made]
    loop.worker.set_accept_enabled(True)
    return made


def callers(loop, listener, number):
    """So many new connections with a whole request each."""
    made = [loop.stack.enter_context(socket.create_connection(listener.getsockname())) for _ in range(number)]
    for each in made:
        each.sendall(GET)
    return made


def turns(loop, number=10):
    for _ in range(number):
        loop.worker.set_accept_enabled(True)
        loop.worker.wait_for_and_dispatch_events(0)


def reply(loop):
    """Finish the request that was handed to a thread first, on a connection that is closed."""
    done = Mock(cancelled=lambda: False, exception=lambda: None, result=lambda: False)
    loop.worker.finish_request(loop.handed.pop(0), done)


@pytest.mark.parametrize(("workers", "taken"), [(2, 4), (1, 6)])
def test_a_process_of_several_leaves_what_it_has_no_thread_for_to_the_others(loop, listener, workers, taken):
    loop.worker.cfg.set("workers", workers)
    loop.worker.cfg.set("threads", 4)
    callers(loop, listener, 6)
    turns(loop)
    assert loop.worker.at_work == taken
    reply(loop)
    turns(loop)
    assert loop.worker.at_work == (4 if workers == 2 else 5)


def test_two_requests_begin_at_once_and_the_others_in_the_order_in_which_they_came(loop, listener):
    callers(loop, listener, 5)
    turns(loop)
    first, second = loop.handed
    assert loop.worker.at_work == 5
    reply(loop)
    assert loop.handed[0] is second
    assert len(loop.handed) == 2
    assert loop.handed[1] not in (first, second)
    for left in (3, 2, 1, 0):
        reply(loop)
        assert (loop.worker.at_work, len(loop.handed)) == (left, min(left, in_turn.AT_ONCE))


def test_a_request_that_takes_long_holds_nobody_up(loop, listener):
    callers(loop, listener, 5)
    turns(loop)
    assert len(loop.handed) == 2
    waited = []
    loop.worker.poller = Mock(
        wraps=loop.worker.poller, select=Mock(side_effect=lambda t: waited.append(t) or [])
    )
    loop.worker.wait_for_and_dispatch_events(1.0)
    loop.now += in_turn.COUNTS_SECONDS / 2
    loop.worker.wait_for_and_dispatch_events(1.0)
    assert waited == pytest.approx([in_turn.COUNTS_SECONDS, in_turn.COUNTS_SECONDS / 2])
    assert len(loop.handed) == 2
    # Both have run long by now: two more begin, and then again two, whatever becomes of them.
    for begun in (4, 5):
        loop.now += in_turn.COUNTS_SECONDS
        loop.worker.wait_for_and_dispatch_events(1.0)
        assert len(loop.handed) == begun
    loop.worker.wait_for_and_dispatch_events(1.0)
    assert waited[-1] == 1.0


def test_when_no_thread_can_be_started_all_who_wait_are_given_up_however_many(loop):
    clients = [loop.client(GET) for _ in range(280)]
    assert (loop.worker.at_work, len(loop.handed)) == (280, 2)
    loop.worker.tpool.submit = Mock(side_effect=RuntimeError("can't start new thread"))
    reply(loop)
    assert (loop.worker.at_work, loop.worker.log.exception.call_count) == (1, 278)
    assert said(clients[-1]) == ""


def test_a_request_that_is_given_up_while_it_waits_leaves_the_line(loop, listener):
    callers(loop, listener, 4)
    turns(loop)
    waiting = list(loop.worker._line)
    loop.worker.abandon(waiting[0])
    reply(loop)
    assert loop.handed[-1] is waiting[1]
    assert loop.worker.at_work == 2


def test_a_request_for_which_no_thread_can_be_started_is_not_counted_for_ever(loop, listener):
    submit = loop.worker.tpool.submit
    loop.worker.tpool.submit = Mock(side_effect=RuntimeError("can't start new thread"))
    callers(loop, listener, 8)
    turns(loop)
    assert (loop.worker.at_work, loop.worker.nr_conns) == (0, 0)
    loop.worker.tpool.submit = submit
    callers(loop, listener, 2)
    turns(loop)
    assert len(loop.handed) == loop.worker.at_work == 2


@pytest.mark.parametrize(("workers", "at_work", "keeps"), [(2, 2, True), (2, 3, False), (1, 8, True)])
def test_a_connection_is_kept_only_where_its_process_is_not_crowded(loop, listener, workers, at_work, keeps):
    loop.worker.cfg.set("workers", workers)
    callers(loop, listener, at_work)
    turns(loop)
    assert loop.worker.at_work == at_work
    # What gunicorn asks before each reply.
    assert (len(loop.worker.keepalived_conns) < loop.worker.max_keepalived) is keeps


def test_a_process_that_stops_takes_over_who_waits_and_leaves_the_queue(loop, listener):
    loop.worker.cfg.set("threads", 1)
    callers(loop, listener, 5)
    turns(loop)
    assert len(loop.handed) == 1
    loop.worker.alive = False
    for _ in range(2):
        loop.worker.set_accept_enabled(False)
    turns(loop)
    assert loop.worker.at_work == 5
    assert listener.fileno() == -1
    for _ in range(5):
        reply(loop)
    assert (loop.worker.at_work, loop.handed) == (0, [])


def test_a_process_that_stops_without_files_for_connections_leaves_the_queue_all_the_same(
    loop, listener, monkeypatch
):
    callers(loop, listener, 2)
    monkeypatch.setattr(loop.worker, "accept", Mock())
    loop.worker.alive = False
    loop.worker.set_accept_enabled(False)
    assert loop.worker.accept.call_count == 1
    assert listener.fileno() == -1


LISTENS = """
import socket, sys
from variorum import gunicorn_hooks
from variorum.gunicorn_hooks import *

def on_starting(server):
    gunicorn_hooks.on_starting(server)
    assert "variorum.wsgi" in sys.modules
    with socket.socket() as asked:
        print("before:", asked.connect_ex(("127.0.0.1", PORT)) != 0, flush=True)

def when_ready(server):
    with socket.socket() as asked:
        print("after:", asked.connect_ex(("127.0.0.1", PORT)) == 0, flush=True)
    sys.exit(0)
"""


def test_the_application_is_loaded_before_the_port_takes_connections(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "hooks.py").write_text(LISTENS.replace("PORT", str(port)))
    command = ["gunicorn", "variorum.wsgi", "--config", "python:hooks", "--bind", f"127.0.0.1:{port}"]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}",
        "VARIORUM_DATA_DIR": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-m", *command], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["before:", "True", "after:", "True"], done.stderr


def scheduled(vendor, monkeypatch):
    """By which rule the system runs a thread that has called it, with such a database."""
    monkeypatch.setattr(type(connections["default"]), "vendor", vendor)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(gunicorn_hooks.compute_in_turn).result()
        return thread.submit(os.sched_getscheduler, 0).result()


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="the system has no such rule")
def test_who_has_an_answer_from_postgresql_pushes_nobody_away(monkeypatch):
    assert scheduled("sqlite", monkeypatch) == os.SCHED_OTHER
    assert scheduled("postgresql", monkeypatch) == os.SCHED_BATCH
    monkeypatch.setattr(os, "sched_setscheduler", Mock(side_effect=PermissionError))
    assert scheduled("postgresql", monkeypatch) == os.SCHED_OTHER

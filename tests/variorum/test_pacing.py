"""A client that does not read its reply is waited for so long, and by so many threads."""

import socket
import threading
from contextlib import closing

import pytest

from variorum.server import pacing
from variorum.server.pacing import PacedSocket, WaitingThreads

MUCH = bytes(8 * 2**20)
"""More than the buffers of a pair hold."""
PATIENT = 120


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with theirs:
        yield ours, theirs


def paced(ours, waiting=None):
    return closing(PacedSocket.of(ours, "a client", waiting or WaitingThreads(None)))


def test_who_reads_gets_all_of_it(pair):
    ours, theirs = pair
    got = []

    def read():
        while data := theirs.recv(2**20):
            got.append(len(data))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with paced(ours) as sender:
        sender.sendall(memoryview(MUCH))
    reader.join(PATIENT)
    assert sum(got) == len(MUCH)


def test_who_does_not_read_is_given_up(pair, monkeypatch):
    monkeypatch.setattr(PacedSocket, "credit", 0.05)
    monkeypatch.setattr(pacing, "GRACE_SECONDS", 0.05)
    with paced(pair[0]) as sender, pytest.raises(BrokenPipeError, match="a client does not read its reply"):
        sender.sendall(MUCH)


def test_what_was_read_before_buys_no_more_than_the_longest_wait(pair):
    with paced(pair[0]) as sender:
        for _ in range(50):
            sender.sendall(MUCH[: 2**16])
            pair[1].recv(2**16, socket.MSG_WAITALL)
        assert sender.credit <= pacing.GRACE_SECONDS


def test_so_many_threads_wait_for_one_client_and_others_are_not_counted_with_it(pair):
    waiting = WaitingThreads(1)
    with waiting.one("a client"), waiting.one("another"), paced(pair[0], waiting) as sender:
        sender.sendall(b"what needs no waiting")
        with pytest.raises(BrokenPipeError, match="a client reads too slowly"):
            sender.sendall(MUCH)
    with waiting.one("a client"):
        pass

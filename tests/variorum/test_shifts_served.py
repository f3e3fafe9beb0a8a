"""More web processes than cores: everybody is answered, whatever becomes of a process in its shift."""

import http.client
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.variorum.test_slow_clients import PATIENT, prepared, running

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system keeps no shifts"),
]
CLIENTS, EACH = 24, 20


class Clients:
    """So many, without pause, each of whom asks anew where its connection ends with a process."""

    def __init__(self, site):
        self.site, self.answered, self.failed = site, [], []
        self.threads = [threading.Thread(target=self.ask, daemon=True) for _ in range(CLIENTS)]
        for each in self.threads:
            each.start()

    def ask(self):
        for _ in range(EACH):
            self.answered.append(self.answer())

    def answer(self):
        while True:
            try:
                return self.site.asked()[0]
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(error)

    def until_answered(self, number):
        deadline = time.monotonic() + PATIENT
        while len(self.answered) < number:
            assert time.monotonic() < deadline, (len(self.answered), self.failed)
            time.sleep(0.005)


@pytest.fixture
def one_core():
    """One core for this process and those it starts: each of three has to wait for its shift."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def processes_of(site):
    """The web processes, without their master."""
    children = Path(f"/proc/{site.web.pid}/task/{site.web.pid}/children").read_text().split()
    return [int(each) for each in children]


def test_processes_in_shifts_answer_everybody_though_one_is_killed_and_one_stands_still(tmp_path, one_core):
    prepared(tmp_path)
    with running(tmp_path, workers=3) as site:
        clients = Clients(site)
        clients.until_answered(CLIENTS)
        killed, stopped, *_ = processes_of(site)
        os.kill(killed, signal.SIGKILL)
        clients.until_answered(3 * CLIENTS)
        os.kill(stopped, signal.SIGSTOP)
        # What it has taken waits for it, and all others are answered.
        clients.until_answered(6 * CLIENTS)
        os.kill(stopped, signal.SIGCONT)
        clients.until_answered(CLIENTS * EACH)
        assert set(clients.answered) == {200}
        # A connection to the killed one each, at most.
        assert len(clients.failed) <= CLIENTS
        assert killed not in processes_of(site)

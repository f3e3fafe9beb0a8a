"""`manage.py serve` as people start it, and what is killed under it."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from tests.retrieval import processes
from variorum.server import leftovers

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

SUBMIT = """
import django
django.setup()
from retrieval.candidates import submitting
from tests import builders
book = builders.book()
builders.excerpt(book, builders.source())
print(submitting.submit(book, ranker="bm25", parameters={}).pk)
"""


def serving(folder):
    """On a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    return processes.started(
        processes.alone(folder) | {"PYTHONUNBUFFERED": "1"},
        "manage.py", "serve", "--port", port, "--workers", "1",
    )  # fmt: skip


def python(folder, program):
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=processes.alone(folder), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def status(folder):
    with closing(sqlite3.connect(folder / "variorum.sqlite3")) as file:
        return file.execute("SELECT status FROM retrieval_candidatejob").fetchone()[0]


def children(folder):
    (record,) = (folder / "running").glob("serve-*.json")
    return [leftovers.StartedChild(*each) for each in json.loads(record.read_text())["children"]]


def test_a_worker_that_is_killed_is_followed_by_one_that_works(tmp_path):
    with serving(tmp_path) as site:
        site.until("Variorum is at")
        web, worker = children(tmp_path)
        os.kill(worker.pid, signal.SIGKILL)
        site.until("The worker ended with status -9.")
        site.until("The worker was started again (try 1).")
        assert children(tmp_path)[0] == web
        python(tmp_path, SUBMIT)
        deadline = time.monotonic() + processes.TIMEOUT
        while status(tmp_path) != "done":
            assert time.monotonic() < deadline, "the job was not done"
            time.sleep(0.1)
        both = children(tmp_path)
        assert site.stop() == 0
    assert not any(leftovers.remaining_processes(each) for each in both)


def test_of_a_killed_start_nothing_runs_beside_the_next_one(tmp_path, embedded):
    embedded(tmp_path)
    with serving(tmp_path) as site:
        site.until("Variorum is at")
        before = children(tmp_path)
        assert all(leftovers.remaining_processes(each) for each in before)
        site.kill()
    with serving(tmp_path) as site:
        site.until("Variorum is at")
        assert not any(leftovers.remaining_processes(each) for each in before)
        assert site.stop() == 0
    assert list((tmp_path / "running").iterdir()) == []

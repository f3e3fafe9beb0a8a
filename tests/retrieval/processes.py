"""Processes of their own for the tests that kill workers: started, listened to, ended for sure."""

import os
import queue
import signal
import subprocess
import sys
from contextlib import contextmanager
from threading import Thread

TIMEOUT = 300
WORKER = ["-P", "solo", "-Q", "cpu,gpu", "--loglevel", "info", "--without-gossip", "--without-mingle"]

PREPARED = """
import os, signal, sys
import django
django.setup()
from django.conf import settings
from retrieval import tasks
from retrieval.candidates import pipeline, submitting
from retrieval.engine.ranking import bm25
from retrieval.jobs import queue
from retrieval.models import Candidate, CandidateJob

def here_i_stand(word):
    print(word, flush=True)
    signal.pause()
"""


class Process:
    """A running process and the lines it has written so far."""

    def __init__(self, popen):
        self.popen = popen
        self.seen = []
        self._lines = queue.Queue()
        Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.popen.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def until(self, text):
        """Wait for a line that holds `text`, and return it."""
        while True:
            line = self._lines.get(timeout=TIMEOUT)
            assert line is not None, f"it ended before {text!r}:\n{''.join(self.seen)}"
            self.seen.append(line)
            if text in line:
                return line

    def all_it_wrote(self):
        """Wait until it has written its last line, and return all of them; once."""
        while (line := self._lines.get(timeout=TIMEOUT)) is not None:
            self.seen.append(line)
        return self.seen

    def kill(self):
        self.popen.send_signal(signal.SIGKILL)
        assert self.popen.wait(TIMEOUT) == -signal.SIGKILL

    def stop(self):
        """SIGTERM; the exit status."""
        self.popen.terminate()
        return self.popen.wait(TIMEOUT)


def alone(folder):
    """The environment of an embedded installation with its data in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VARIORUM_")}
    return kept | {"VARIORUM_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "variorum.settings"}


@contextmanager
def started(environment, *arguments):
    """`python ARGUMENTS`, killed at the end if it has not ended by itself."""
    popen = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Process(popen)
    finally:
        popen.kill()
        popen.wait()
        popen.stdin.close()


def worker(environment, *more):
    """A worker as the documentation starts it."""
    return started(environment, "-m", "celery", "-A", "variorum", "worker", *WORKER, *more)


def patched_worker(environment, patch, *more):
    """The same worker with a few lines of Python run first."""
    run = f"\nfrom variorum.celery import app\napp.worker_main({['worker', *WORKER, *more]!r})\n"
    return started(environment, "-c", PREPARED + patch + run)

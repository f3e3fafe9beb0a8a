"""kill -9 in the middle of a job, on a real database file: resumed, the rows are the same.

The first process is killed where it says it stands, once while it computes a chunk
and once inside the transaction that stores one. A second process goes on.
"""

import json
import os
import signal
import subprocess
import sys
from threading import Timer

import pytest

TIMEOUT = 60

WORKER = """
import json, signal, sys
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from retrieval import jobs, pipeline
from retrieval.models import Candidate, CandidateJob
from tests import builders

settings.JOB_LEASE_SECONDS = 0   # the lease of who is killed has ended when the next one starts

def submitted():
    call_command("migrate", verbosity=0)
    book, critic = builders.book(), builders.source()
    for first in range(2, 20, 2):
        builders.excerpt(book, critic, first=first)
    for first in range(5, 9):
        builders.excerpt(book, critic, first=first, size=2)
    return [jobs.submit(book, ranker="bm25", parameters={"negatives": 4}).pk for _ in range(2)]

def here_i_stand(word):
    print(word, flush=True)
    signal.pause()

def killed_between_chunks(job):
    if job.done == 6:
        here_i_stand("computing")
    return True

store = Candidate.objects.bulk_create
"""

FIRST = """
whole, parts = submitted()
if sys.argv[1] == "storing":
    calls = iter(range(99))
    def bulk_create(rows, **options):
        store(rows, **options)
        if next(calls) == 3:
            here_i_stand("storing")
    Candidate.objects.bulk_create = bulk_create
go_on = killed_between_chunks if sys.argv[1] == "computing" else (lambda job: True)
pipeline.run(jobs.claim(parts, "first"), go_on=go_on, chunk=2)
"""

SECOND = """
whole, parts = CandidateJob.objects.order_by("pk").values_list("pk", flat=True)
left = CandidateJob.objects.get(pk=parts)
begun = {"status": left.status, "done": left.done, "rows": left.candidates.count()}
pipeline.run(jobs.claim(whole, "undisturbed"), chunk=2)
again = jobs.claim(parts, "second")
begun["attempt"] = again.attempts
pipeline.run(again, chunk=2)
def outcome(pk):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    rows = list(Candidate.objects.filter(job=pk).order_by("pk").values_list(*fields))
    return {"rows": rows, "job": CandidateJob.objects.values_list("done", "total", "counts").get(pk=pk)}
print(json.dumps({"begun": begun, "whole": outcome(whole), "parts": outcome(parts)}))
"""


def start(code, tmp_path, *arguments):
    """A Python process with a data folder and database file of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VARIORUM_")}
    environment |= {"VARIORUM_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "variorum.settings"}
    return subprocess.Popen(
        [sys.executable, "-c", WORKER + code, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.parametrize("where", ["computing", "storing"])
def test_j01_killed_and_resumed_the_rows_are_those_of_an_undisturbed_run(tmp_path, where):
    first = start(FIRST, tmp_path, where)
    watchdog = Timer(TIMEOUT, first.kill)
    watchdog.start()
    try:
        assert first.stdout.readline() == f"{where}\n"
        first.send_signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
    finally:
        watchdog.cancel()
        first.kill()
        first.communicate()
    second = start(SECOND, tmp_path)
    try:
        told, _ = second.communicate(timeout=TIMEOUT)
    finally:
        second.kill()
    told = json.loads(told)
    assert told["begun"] == {"status": "running", "done": 6, "rows": 30, "attempt": 2}
    assert told["parts"] == told["whole"]
    assert len(told["whole"]["rows"]) == 13 * 5
    assert told["whole"]["job"][:2] == [13, 13]

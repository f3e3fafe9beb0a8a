"""J01, J03, J04, J05, each with workers of its own: killed, stopped, without memory, rung five times."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tests.cases.installation import READY, installation
from tests.retrieval import processes

pytestmark = pytest.mark.long
SUBMITTED = """
from retrieval.candidates import submitting
from retrieval.models import CandidateJob
book, critic = builders.book(), builders.source()
for first in range(2, 18, 2):
    builders.excerpt(book, critic, first=first)
asked = [{"negatives": n, "matching": False} for n in (3, 2)]
made = [submitting.submit(book, ranker="bm25", parameters=each) for each in asked]
print(json.dumps([job.pk for job in made]))
"""
STATES = """
from retrieval.models import CandidateJob
print(json.dumps([[job.status, job.attempts, job.error, job.candidates.count(), job.total] for job in
                  CandidateJob.objects.order_by("pk")]))
"""
SHORT = """
settings.JOB_LEASE_SECONDS = 2
queue.FIRST_BACKOFF = 0.2
poison = int(os.environ["POISON"])
scores = bm25.Bm25Index.scores
run = pipeline.run
def at_once(job, **more):
    if job.pk == poison:
        print("swallowed", flush=True)
        swallow()
    return run(job, **more)
attempt = pipeline.attempt
def attempted(pk, worker, *, go_on=None):
    from retrieval.jobs import attempts
    return attempts.attempt(CandidateJob, pk, worker, at_once, **({"go_on": go_on} if go_on else {}))
pipeline.attempt = attempted
"""
POISONS = {
    "kills itself": "def swallow(): os.kill(os.getpid(), signal.SIGKILL)\n",
    "hangs": "def swallow(): os.kill(os.getpid(), signal.SIGSTOP)\n",
    "takes all memory": """
def swallow():
    import resource
    with open("/proc/self/statm") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + (64 << 20), resource.RLIM_INFINITY))
    try:
        b"x" * (1 << 30)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
""",
}
CAUSES = {
    "kills itself": "fell silent for 2 s in each of 3 attempts",
    "hangs": "fell silent for 2 s in each of 3 attempts",
    "takes all memory": "MemoryError",
}


def until(asked, what, seconds=processes.TIMEOUT):
    """Ask until the answer is right, and return it."""
    deadline = time.monotonic() + seconds
    while not what(found := asked()):
        assert time.monotonic() < deadline, found
        time.sleep(0.5)
    return found


@pytest.mark.parametrize("kind", POISONS)
def test_J03_a_job_that_ends_its_worker_fails_with_a_cause_and_the_others_go_on(tmp_path, kind):
    with installation(tmp_path / "here") as here:
        poison, other = here.told(SUBMITTED)
        environment = here.environment | {"POISON": str(poison)}
        for attempt in (1, 2, 3):
            # Whoever starts workers starts another; the one that hangs is let go of here at the end.
            with processes.patched_worker(environment, POISONS[kind] + SHORT) as worker:
                worker.until("swallowed")
                if kind == "takes all memory":
                    for _ in range(2):
                        worker.until("swallowed")
                    until(lambda: here.told(STATES), lambda found: found[0][0] == "failed")
                    assert worker.popen.poll() is None
                    break
                until(lambda: here.told(STATES), lambda found, n=attempt: found[0][1] == n)
        with processes.patched_worker(environment, POISONS[kind] + SHORT):
            found = until(
                lambda: here.told(STATES), lambda found: {each[0] for each in found} == {"failed", "done"}
            )
    assert found[0][:2] == ["failed", 3]
    assert CAUSES[kind] in found[0][2]
    assert found[0][3] == 0
    status, _, error, candidates, total = found[1]
    assert (status, error, candidates > total) == ("done", "", True)
    assert other > poison


RUNG = """
from retrieval import tasks
sys.stdin.readline()
tasks.work.apply((int(sys.argv[1]),), throw=True)
"""


def test_J04_five_messages_in_five_processes_at_once_are_one_run(tmp_path):
    with installation(tmp_path / "here") as here:
        pk, _ = here.told(SUBMITTED)
        command = here.command("-c", READY + RUNG, pk)
        five = [
            subprocess.Popen(
                command, env=here.environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(5)
        ]
        time.sleep(5)
        for each in five:
            each.stdin.write("go\n")
            each.stdin.flush()
        said = [each.communicate(timeout=processes.TIMEOUT)[1] for each in five]
        assert [each.returncode for each in five] == [0] * 5, said
        states = here.told(STATES)
        assert states[0][:3] == ["done", 1, ""]
        # Eight excerpts, each with its right passage and three wrong ones, and none of them twice.
        assert states[0][3] == 32


LATER = """
from retrieval.candidates import submitting
from retrieval.models import Book
submitting.submit(Book.objects.get(), ranker="bm25", parameters={"negatives": 1})
"""
PAGES = """
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from retrieval.models import CandidateJob, LoadingJob
settings.ALLOWED_HOSTS = ["testserver"]
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
browser = Client()
who, _ = User.objects.get_or_create(username="stan", is_staff=True)
browser.force_login(who)
asked = [kind.objects.order_by("pk").last() for kind in (CandidateJob, LoadingJob) if kind.objects.exists()]
def pages():
    return [browser.get(each.get_absolute_url()).text for each in asked]
"""
SHOWN = PAGES + "print(json.dumps(pages()))"
IMPORTS = """
from retrieval.models import Book, LoadingJob, Source
book, source = Book.objects.get(), Source.objects.get()
LoadingJob.objects.create(work="find", book=book, source=source, code_version="test")
"""
SILENT = (
    PAGES
    + """
from retrieval.jobs import workers
quiet = []
while True:
    # Known before the pages are asked for: however long they take, they may not know less.
    quiet.append(workers.seconds_since_seen("cpu"))
    say = ["No worker has been seen for" in each for each in pages()]
    if all(say) or quiet[-1] > int(sys.argv[1]):
        break
    time.sleep(0.2)
print(json.dumps([quiet[0], quiet[-1], say]))
"""
)
MOST_SILENT = 30
"""Seconds after which every page says so."""


def test_J05_pages_say_that_no_worker_is_there_before_and_after_one_was(tmp_path, capsys):
    with installation(tmp_path / "here") as here:
        here.told(SUBMITTED)
        here.script(IMPORTS)
        for page in here.told(SHOWN):
            assert "No worker has been seen yet. The job waits until one is started." in page
        with processes.worker(here.environment) as worker:
            until(lambda: here.told(STATES), lambda found: {each[0] for each in found} == {"done"})
            worker.kill()
        here.script(LATER + IMPORTS)
        first, last, say = here.told(SILENT, MOST_SILENT)
    with capsys.disabled():
        sys.stdout.write(f"\nJ05: said {last:.0f} s after the last sign of the worker\n")
    assert first < last <= MOST_SILENT
    assert say == [True, True]


TRAINS = """
from retrieval.training import run as training
from retrieval.models import TrainingJob
print("program", os.getpid(), flush=True)
def attempted(pk, worker, *, go_on=None):
    claimed = queue.claim(pk, worker, TrainingJob)
    if claimed is not None:
        print(f"trained {os.getpid()}", flush=True)
        queue.finish(claimed)
    return claimed is not None
training.attempt = attempted
"""
TRAINING = """
from retrieval.models import Book, TrainingJob
job = builders.finished_training(Book.objects.get())
TrainingJob.objects.update(status="queued", finished=None, attempts=0)
"""


def test_J01_a_worker_that_has_trained_goes_on_as_a_new_program_under_its_number(tmp_path):
    """What a training took is given back; the new one does what waits, and ends when it is told to."""
    with installation(tmp_path / "here") as here:
        with processes.patched_worker(here.environment, TRAINS) as worker:
            pid = str(worker.popen.pid)
            worker.until(f"program {pid}")
            worker.until("ready.")
            here.told(SUBMITTED)
            until(lambda: here.told(STATES), lambda found: {each[0] for each in found} == {"done"})
            here.script(TRAINING)
            worker.until(f"trained {pid}")
            worker.until(f"program {pid}")
            worker.until("ready.")
            here.script(LATER)
            until(lambda: here.told(STATES), lambda found: found[-1][0] == "done" and len(found) == 3)
            assert "No worker" not in here.told(SHOWN)[0]
            assert worker.stop() == 0
        assert {each[1] for each in here.told(STATES)} == {1}

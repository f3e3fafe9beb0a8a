"""Workers that end in the middle of a job, on a real database file: the rows are the same.

A process ends where it says it stands, so nothing here depends on time.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.retrieval import processes

pytestmark = pytest.mark.services  # it starts workers of its own and kills them

SUBMIT = """
from tests import builders
book, critic = builders.book(), builders.source()
for first in range(2, 20, 2):
    builders.excerpt(book, critic, first=first)
for first in range(5, 9):
    builders.excerpt(book, critic, first=first, size=2)
asked = {"negatives": 4, "matching": sys.argv[2:] == ["matched"]}
whole, parts = [submitting.submit(book, ranker="bm25", parameters=asked).pk for _ in range(2)]
"""

FIRST = """
settings.JOB_LEASE_SECONDS = 0   # the lease of who is killed has ended when the next one starts
where, store, calls = sys.argv[1], Candidate.objects.bulk_create, iter(range(99))

def bulk_create(rows, **options):
    store(rows, **options)
    if where == "storing" and next(calls) == 3:
        here_i_stand(where)
    if where == "dealing" and len(rows) == 3 * 5:   # of the last, behind the ten that are dealt at once
        here_i_stand(where)

def go_on(job):
    if where == "computing" and job.done == 6:
        here_i_stand(where)
    return True

Candidate.objects.bulk_create = bulk_create
pipeline.run(queue.claim(parts, "first"), go_on=go_on, chunk=2)
"""

LOOK = """
import json
def outcome(pk):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    rows = list(Candidate.objects.filter(job=pk).order_by("pk").values_list(*fields))
    job = CandidateJob.objects.values("status", "attempts", "done", "total", "counts").get(pk=pk)
    return {"rows": rows, "job": job}
whole, parts = CandidateJob.objects.order_by("pk").values_list("pk", flat=True)
told = {"before": outcome(parts)}
"""

SECOND = """
pipeline.run(queue.claim(whole, "undisturbed"), chunk=2)
pipeline.run(queue.claim(parts, "second"), chunk=2)
told |= {"whole": outcome(whole), "parts": outcome(parts)}
print(json.dumps(told))
"""

SLOW = """
scores = bm25.Bm25Index.scores

def until_told_to_stop(self, queries):
    print("computing", flush=True)
    assert tasks.stopping.wait(300)
    return scores(self, queries)

bm25.Bm25Index.scores = until_told_to_stop
pipeline.run.__kwdefaults__["chunk"] = 2
"""


def told(folder, code):
    with processes.started(processes.alone(folder), "-c", processes.PREPARED + code) as process:
        return json.loads(process.until('{"before"'))


@pytest.mark.parametrize(
    ("where", "how", "rows", "done"),
    [
        ("computing", "best", 30, 6),
        ("storing", "best", 30, 6),
        ("computing", "matched", 0, 6),
        ("dealing", "matched", 0, 13),
    ],
)
def test_J01_killed_and_resumed_the_rows_are_those_of_an_undisturbed_run(folder, where, how, rows, done):
    """Killed while it computes a chunk, and inside the transactions that store one and deal places out."""
    code = processes.PREPARED + SUBMIT + FIRST
    with processes.started(processes.alone(folder), "-c", code, where, how) as first:
        first.until(where)
        first.kill()
    found = told(folder, LOOK + SECOND)
    assert len(found["before"]["rows"]) == rows
    assert (found["before"]["job"]["status"], found["before"]["job"]["done"]) == ("running", done)
    assert found["parts"]["job"].pop("attempts") == 2
    assert found["whole"]["job"].pop("attempts") == 1
    assert found["parts"] == found["whole"]
    assert len(found["whole"]["rows"]) == 13 * 5
    assert found["whole"]["job"]["done"] == found["whole"]["job"]["total"] == 13


def test_a_worker_told_to_end_gives_its_job_back_and_the_next_one_finishes_it(folder):
    """The embedded mode: no message was ever sent, the sweep finds the row."""
    alone = processes.alone(folder)
    with processes.patched_worker(alone, SUBMIT + "queue.cancel(whole)\n" + SLOW) as worker:
        worker.until("computing")
        assert worker.stop() == 0
    with closing(sqlite3.connect(folder / "variorum.sqlite3")) as file:
        jobs = file.execute("SELECT status, attempts, done FROM retrieval_candidatejob WHERE id = 2")
        assert jobs.fetchall() == [("queued", 0, 2)]
        assert file.execute("SELECT COUNT(*) FROM retrieval_worker").fetchall() == [(0,)]
    with processes.worker(alone) as worker:
        worker.until("Job 2: done")
    undisturbed = (
        "queue.retry(whole); pipeline.attempt(whole, 'undisturbed'); told['whole'] = outcome(whole)\n"
    )
    found = told(folder, LOOK + undisturbed + "print(json.dumps(told))")
    assert found["before"] == found["whole"]
    assert len(found["whole"]["rows"]) == 13 * 5

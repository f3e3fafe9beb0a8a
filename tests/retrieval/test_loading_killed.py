"""Workers that end in the middle of a search for quotations, and a worker whom a text would hang."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.retrieval import processes

pytestmark = pytest.mark.services  # it starts workers of its own and kills them

SUBMIT = """
import json
from retrieval import loading
from retrieval.engine.quotations import finding
from retrieval.loading import jobs as loading_jobs
from retrieval.models import Comparison, Excerpt, LoadingJob, LoadingTask
from tests.retrieval import hanging
from tests.retrieval.quay import ESSAY, NOVEL
facts = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
book = loading.import_book(NOVEL.encode(), name="n", **facts).book
def critic(slug):
    return loading.import_source(ESSAY.encode(), name="e", slug=slug, citation=slug).source

critics = [critic("one"), critic("two")]
whole, killed = [loading_jobs.submit_search(book, critic).pk for critic in critics]
"""

FIRST = """
settings.JOB_LEASE_SECONDS = 0   # the lease of who is killed has ended when the next one starts
where, store = sys.argv[1], Excerpt.objects.bulk_create

def bulk_create(rows, **options):
    store(rows, **options)
    here_i_stand("standing")

def go_on(job):
    if job.done == hanging.TOLD[0]:
        here_i_stand("standing")
    return True

if where == "storing":
    Excerpt.objects.bulk_create = bulk_create
else:
    finding.find, loading_jobs.BEAT = hanging.on_a_pattern, 0.0
loading_jobs.run(queue.claim(killed, "first", LoadingJob), go_on=go_on)
"""

SECOND = """
def outcome(pk):
    job = LoadingJob.objects.get(pk=pk)
    fields = ("left", "right", "printed", "start", "end", "first", "size", "score", "why")
    rows = [list(row) for row in job.source.excerpts.order_by("start").values_list(*fields)]
    kept = ("status", "attempts", "counts", "done", "total")
    compared = list(Comparison.objects.filter(source=job.source).values_list("found", "dropped"))
    return {"rows": rows, "compared": compared, "job": {name: getattr(job, name) for name in kept}}

told = {"before": outcome(killed)}
for pk in (whole, killed):
    loading_jobs.attempt(pk, "second")
told |= {"whole": outcome(whole), "killed": outcome(killed)}
print(json.dumps(told))
"""

HUNG = """
run, finding.find = loading_jobs.run, hanging.on_a_pattern

def in_its_time(job, **options):
    settings.LOADING_SECONDS = 1 if job.finds else 600
    run(job, **options)

loading_jobs.run = in_its_time
text, facts = b"An essay of its own.", {"slug": "e", "citation": "E"}
after = loading_jobs.submit_import(LoadingTask.SOURCE, text, "e", facts)
"""


@pytest.mark.parametrize("where", ["computing", "storing"])
def test_killed_and_resumed_the_excerpts_are_those_of_an_undisturbed_search(folder, where):
    """Killed while its child hangs, and inside the transaction that stores what was found."""
    alone = processes.alone(folder)
    with processes.started(alone, "-c", processes.PREPARED + SUBMIT + FIRST, where) as first:
        first.until("standing")
        first.kill()
    with processes.started(alone, "-c", processes.PREPARED + SUBMIT + SECOND) as second:
        found = json.loads(second.until('{"before"'))
    assert (found["before"]["rows"], found["before"]["compared"]) == ([], [])
    assert found["before"]["job"]["status"] == "running"
    assert (found["whole"]["job"].pop("attempts"), found["killed"]["job"].pop("attempts")) == (1, 2)
    assert found["killed"] == found["whole"]
    assert (len(found["whole"]["rows"]), found["whole"]["job"]["status"]) == (2, "done")


def test_a_worker_survives_a_text_that_hangs_and_takes_the_next_job(folder):
    """As it is deployed, with a second for the search; it hangs in a regular expression for real."""
    alone = processes.alone(folder)
    with processes.patched_worker(alone, SUBMIT + "queue.cancel(killed, LoadingJob)\n" + HUNG) as worker:
        assert "ended after 1 s, the longest this may take" in worker.until("Loading 1 failed")
        worker.until("Loading 3: done")
        assert worker.stop() == 0
    with closing(sqlite3.connect(folder / "variorum.sqlite3")) as file:
        ended = file.execute("SELECT status, attempts FROM retrieval_loadingjob ORDER BY id").fetchall()
        assert ended == [("failed", 1), ("cancelled", 0), ("done", 1)]
        assert file.execute("SELECT COUNT(*) FROM retrieval_excerpt").fetchall() == [(0,)]
    assert list((folder / "uploads").iterdir()) == []

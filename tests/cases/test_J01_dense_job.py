"""J01: a dense job of ten thousand excerpts, whose worker is killed at twenty moments that are drawn."""

from __future__ import annotations

import random
import sys
import time

import pytest

from tests.cases.installation import idle, installation
from tests.retrieval import processes

pytestmark = pytest.mark.long
EXCERPTS, KILLS, SEED = 10_000, 20, 17
MOST_SECONDS = 60
"""From the end of a lease until a worker goes on."""

MADE = """
import random
from pathlib import Path
from retrieval.dense import checkpoints
from retrieval.engine.dense import toy
from retrieval.models import Excerpt
n, seed = map(int, sys.argv[1:])
draw = random.Random(seed)
words = ["".join(draw.choices("abcdefghilmnoprstu", k=draw.randint(3, 8))) for _ in range(600)]
def sentence():
    return " ".join(draw.choices(words, k=draw.randint(5, 14))).capitalize() + "."
book, critic = builders.book(sentences=[sentence() for _ in range(900)]), builders.source()
shape = toy.Shape(width=16, layers=1, heads=2, vocabulary=320, dropout=0.0)
folder = toy.write(Path(os.environ["VARIORUM_DATA_DIR"]) / "made", [book.text], seed=seed, shape=shape)
checkpoints.add(folder, slug="toy")
rows = []
for number in range(n):
    first, size = draw.randrange(5, 890), 1 + number % 3
    rows.append(Excerpt(
        source=critic, book=book, left=[sentence(), sentence()], right=[sentence()], first=first, size=size,
        printed=book.passage(first, size), score=100.0, why="made", digest=f"{number:064d}",
    ))
Excerpt.objects.bulk_create(rows, batch_size=500)
"""
# A lease that ends soon, as many attempts as it takes, and a word of each chunk that is ranked.
PATIENT = """
settings.JOB_LEASE_SECONDS, settings.JOB_SWEEP_SECONDS, settings.JOB_MAX_ATTEMPTS = 3, 0.5, 99
scored = pipeline._scored
def said(indices, queries):
    print("ranked", len(queries), flush=True)
    return scored(indices, queries)
pipeline._scored = said
"""
OUTCOME = """
import hashlib
from retrieval.models import Candidate, CandidateJob
fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
digest = hashlib.sha256()
rows = Candidate.objects.filter(job=sys.argv[1]).order_by("pk").values_list(*fields)
for row in rows.iterator(2000):
    digest.update(repr(row).encode())
job = CandidateJob.objects.values("status", "done", "total", "counts").get(pk=sys.argv[1])
print(json.dumps({**job, "rows": rows.count(), "sha256": digest.hexdigest()}))
"""
PROGRESS = """
from retrieval.models import CandidateJob
job = CandidateJob.objects.get(pk=sys.argv[1])
print(json.dumps([job.status, job.attempts]))
"""
SUBMITTED = """
from retrieval.candidates import submitting
from retrieval.models import Book
asked = {"checkpoint": "toy", "negatives": 2, "matching": False}
print(json.dumps(submitting.submit(Book.objects.get(), ranker="dense", parameters=asked).pk))
"""


def test_J01_a_dense_job_killed_at_twenty_moments_ends_with_the_rows_of_an_undisturbed_one(tmp_path, capsys):
    """A worker is one process: of it nothing is left. Whoever starts workers starts another."""
    draw = random.Random(SEED)
    with installation(tmp_path / "here") as here:
        here.script(MADE, EXCERPTS, SEED)
        whole = here.told(SUBMITTED)
        with processes.patched_worker(here.environment, PATIENT) as worker:
            began = time.monotonic()
            worker.until(f"Job {whole}: done")
            took = time.monotonic() - began
        chunks = ranked(worker)

        killed = here.told(SUBMITTED)
        waits, found = [], []
        for _ in range(KILLS):
            with processes.patched_worker(here.environment, PATIENT) as worker:
                waits.append(seconds_until_it_goes_on(worker, killed))
                # Of a drawn number of chunks: none is while it still encodes.
                for _ in range(chunks_before := draw.choice([0, *range(2 * chunks // KILLS - 12)])):
                    worker.until("ranked")
                time.sleep(draw.uniform(0, 0.05 if chunks_before else 3))
                worker.kill()
            found.append(ranked(worker))
            assert here.told(PROGRESS, killed)[0] == "running", "it was to be killed before it is done"
        with processes.patched_worker(here.environment, PATIENT) as worker:
            waits.append(seconds_until_it_goes_on(worker, killed))
            worker.until(f"Job {killed}: done")
        found.append(ranked(worker))

        expected = here.told(OUTCOME, whole)
        assert here.told(OUTCOME, killed) == expected
        assert here.told(PROGRESS, killed) == ["done", KILLS + 1]
    with capsys.disabled():
        sys.stdout.write(
            f"\nJ01: {took:.0f} s undisturbed, {sum(found) - chunks} chunks of {chunks} ranked again after "
            f"{KILLS} kills, {max(waits):.0f} s at most until the next worker went on\n"
        )
    assert (expected["status"], expected["done"], expected["rows"]) == ("done", EXCERPTS, 3 * EXCERPTS)
    assert sum(found) <= chunks + KILLS, "more than one chunk was ranked again after a kill"
    if idle():
        assert max(waits) <= MOST_SECONDS


def seconds_until_it_goes_on(worker, pk):
    """From a worker's start, at which the lease of the one before has not ended yet, to its first word."""
    began = time.monotonic()
    worker.until(f"Job {pk}: attempt")
    return time.monotonic() - began


def ranked(worker):
    """Of a worker that has ended: how many chunks it said it ranks."""
    return sum("ranked" in line for line in worker.all_it_wrote())

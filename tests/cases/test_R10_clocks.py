"""R10: clocks jump an hour forth and back, of the web and of the database, and summer time ends.

Faked by libfaketime for whole processes (Debian: libfaketime), PostgreSQL's among them.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases.installation import HERE, Installation, installation, new_database
from tests.services import start

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not LIBRARY.exists(), reason="there is no libfaketime (Debian: libfaketime)"),
]
JUMPS = """
clock = os.environ["FAKETIME_TIMESTAMP_FILE"]
def jump(to):
    with open(clock + ".new", "w") as file:
        file.write(to)
    os.chmod(clock + ".new", 0o644)
    os.replace(clock + ".new", clock)
"""
READ = """
import random, uuid
from django.utils import timezone
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Judgment
study = builders.study(items=30, overlap=2)
readers = [builders.enrolment(study, builders.person(name)) for name in ("Ada", "Ben", "Cleo")]
draw, claimed, sent = random.Random(int(sys.argv[1])), 7.5, []
for step in range(400):
    jump(draw.choice(["+0", "+1h", "-1h", "+2h", "-2h"]))
    reader = draw.choice(readers)
    place = next_assignment(reader, now=timezone.now())
    if place is None:
        if Judgment.objects.filter(revision=1).count() == 60:
            break
        continue
    mark_opened(place, now=timezone.now())
    jump(draw.choice(["+0", "+1h", "-1h"]))
    if draw.random() < 0.3:
        continue
    # Sent twice, as after a lost reply, and some are changed afterwards.
    said = Submission(uuid.uuid4(), "answer", {"option": 1}, active_seconds=claimed)
    for _ in range(2):
        made = submit(place, reader, said, now=timezone.now())
    sent.append(str(said.submission))
    if draw.random() < 0.2:
        jump("-1h")
        again = Submission(uuid.uuid4(), "answer", {"option": 0}, active_seconds=1, revision=made.revision)
        changed = submit(made.assignment, reader, again, now=timezone.now())
        assert changed.revision == made.revision + 1, (changed.revision, made.revision)
        sent.append(str(again.submission))
jump("+0")
rows = list(Judgment.objects.values_list("submission", "item", "annotator", "revision", "active_seconds"))
per = {}
for _, item, who, revision, _ in rows:
    per.setdefault(item, {}).setdefault(who, []).append(revision)
print(json.dumps({
    "lost": sorted(set(sent) - {str(each[0]) for each in rows}), "rows": len(rows), "sent": len(sent),
    "readers": sorted({len(each) for each in per.values()}), "items": len(per),
    "revisions": all(sorted(n) == list(range(1, len(n) + 1)) for each in per.values() for n in each.values()),
    "active": [min(each[4] for each in rows), max(each[4] for each in rows)],
    "done": Assignment.objects.filter(status="done").count(),
}))
"""
JOB = """
from retrieval.candidates import pipeline, submitting
from retrieval.jobs import queue
from retrieval.models import Candidate, CandidateJob
book, critic = builders.book(), builders.source()
for first in range(2, 18, 2):
    builders.excerpt(book, critic, first=first)
def stands(job):
    job.refresh_from_db()
    rows = list(job.candidates.values_list("excerpt", "rank", "first", "size"))
    return [job.status, job.attempts, len(rows), len(set(rows))]
parameters = {"negatives": 3, "matching": False}
found = {}
jump("+0")
job, beats = submitting.submit(book, ranker="bm25", parameters=parameters), []
def taken_over(running):
    beats.append(running.done)
    if len(beats) == 1:
        jump("+1h")
        # The lease has lapsed by the database's clock: another worker does the job.
        found["second"] = pipeline.attempt(running.pk, "second")
    return True
pipeline.run.__kwdefaults__["chunk"] = 2
found["first"] = pipeline.attempt(job.pk, "first", go_on=taken_over)
found["taken over"] = stands(job)
jump("+1h")
job = submitting.submit(book, ranker="bm25", parameters=parameters | {"negatives": 2})
def back(running):
    jump("+0")
    return True
found["back"] = pipeline.attempt(job.pk, "third", go_on=back)
found["went on"] = stands(job)
print(json.dumps(found))
"""
AUTUMN = """
from datetime import timedelta
from django.utils import timezone
import uuid
from annotation.assignment.claiming import next_assignment
from annotation.assignment.holding import mark_opened
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
study = builders.study(items=1, overlap=1)
reader = builders.enrolment(study, builders.person("Ada"))
from datetime import datetime, timezone as zone
ahead = datetime(2026, 10, 25, 0, 59, 58, tzinfo=zone.utc).timestamp() - time.time()
jump(f"{ahead:+.0f}s")
# Whatever zone the machine has, the program's is UTC.
assert time.localtime()[3:5] == (0, 59), time.localtime()
place = next_assignment(reader, now=timezone.now())
mark_opened(place, now=timezone.now())
held = place.lease_until - timezone.now()
until = time.monotonic() + 5
while time.monotonic() < until:
    pass
assert time.localtime()[3:5] == (1, 0), time.localtime()
said = Submission(uuid.uuid4(), "answer", {"option": 1}, active_seconds=3000)
made = submit(place, reader, said, now=timezone.now())
held = held <= timedelta(minutes=study.lease_minutes)
print(json.dumps([made.active_seconds, held, str(made.created.utcoffset())]))
"""


@contextmanager
def faked(folder: Path, monkeypatch):
    """An installation whose processes, and whose PostgreSQL, have the clock of a file."""
    # Where PostgreSQL's own user reads it, too.
    with tempfile.TemporaryDirectory() as shared:
        Path(shared).chmod(0o755)
        clock = Path(shared) / "clock"
        clock.write_text("+0")
        clock.chmod(0o644)
        fake = {
            "LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip
        if HERE == "sqlite":
            with installation(folder) as here:
                here.environment |= fake
                yield here
            return
        home = Path(shared) / "server"
        home.mkdir()
        home.chmod(0o755)
        for name, value in fake.items():
            monkeypatch.setenv(name, value)
        with start.postgresql(home) as url:
            for name in fake:
                monkeypatch.delenv(name)
            monkeypatch.setenv("VARIORUM_DATABASE_URL", url)
            with new_database(HERE) as own:
                here = Installation(folder, own)
                here.manage("migrate", "--verbosity", "0")
                here.environment |= fake
                yield here
    assert "LD_PRELOAD" not in os.environ


@pytest.mark.parametrize("seed", [1, 2])
def test_whoever_reads_while_clocks_jump_loses_nothing(tmp_path, monkeypatch, seed):
    with faked(tmp_path / "here", monkeypatch) as here:
        told = here.told(JUMPS + READ, seed)
    assert (told["lost"], told["rows"]) == ([], told["sent"])
    assert (told["readers"], told["items"], told["done"]) == ([2], 30, 60)
    assert told["revisions"]
    least, most = told["active"]
    assert least >= 0
    assert most <= 7.5


def test_a_lease_that_a_jump_ends_is_another_workers_and_no_row_comes_twice(tmp_path, monkeypatch):
    with faked(tmp_path / "here", monkeypatch) as here:
        told = here.told(JUMPS + JOB)
    assert (told["first"], told.get("second")) == (True, True), told
    assert told["taken over"] == ["done", 2, 32, 32]
    assert (told["back"], told["went on"]) == (True, ["done", 1, 24, 24])


def test_the_end_of_summer_time_is_no_hour_of_reading(tmp_path, monkeypatch):
    """At three it is two again in Berlin; five seconds pass."""
    with faked(tmp_path / "here", monkeypatch) as here:
        here.environment["TZ"] = "Europe/Berlin"
        active, held, offset = here.told(JUMPS + AUTUMN)
    assert 4 < active < 60
    assert (held, offset) == (True, "0:00:00")

"""Two workers, one Redis, one PostgreSQL: the scaled shape with real processes.

Needs VARIORUM_DATABASE_URL and VARIORUM_REDIS_URL on loopback (`make test-services`).
The workers work on the test database; what they leave in Redis is removed.
"""

import os
import pickle
import secrets
import socket
import subprocess
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from urllib.parse import quote, urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection, connections

from retrieval.candidates import pipeline, submitting
from retrieval.jobs import notify, queue, workers
from retrieval.models import CandidateJob, Status
from tests import builders
from tests.retrieval import processes
from tests.services import start

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
HERE = [urlsplit(os.environ.get(name, "")) for name in ("VARIORUM_DATABASE_URL", "VARIORUM_REDIS_URL")]

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        any(url.hostname not in LOOPBACK for url in HERE),
        reason="VARIORUM_DATABASE_URL and VARIORUM_REDIS_URL are not set to services on loopback",
    ),
]

BUSY_UNTIL_TOLD = """
settings.JOB_LEASE_SECONDS = 3600   # however long another worker takes to start
scores = bm25.Bm25Index.scores

def until_told(self, queries):
    print("computing", flush=True)
    os.read(0, 1)
    return scores(self, queries)

bm25.Bm25Index.scores = until_told
"""

KILLED_IN_SECOND_CHUNK = """
settings.JOB_LEASE_SECONDS = 0   # the lease of who is killed has ended when the other one looks
pipeline.run.__kwdefaults__["chunk"] = 2

def go_on(job):
    if job.done == 4:
        here_i_stand("halfway")
    return True

attempt = pipeline.attempt
pipeline.attempt = lambda pk, worker, **_: attempt(pk, worker, go_on=go_on)
"""


@pytest.fixture
def redis():
    """Redis, in which nothing of ours waits before the test or is left after it."""
    from redis import Redis

    client = Redis.from_url(settings.REDIS_URL, socket_timeout=5)
    client.delete("cpu", "gpu")
    before = set(client.keys())
    yield client
    new = set(client.keys()) - before
    if new:
        client.delete(*new)
    client.close()


@pytest.fixture
def scaled():
    """The environment of workers of this test's database."""
    database = connection.settings_dict
    user = quote(database["USER"], safe="")
    password = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    netloc = f"{user}{password}@{HERE[0].netloc.rpartition('@')[2]}"
    url = urlunsplit(("postgresql", netloc, f"/{quote(database['NAME'])}", "", ""))
    return os.environ | {
        "VARIORUM_DATABASE_URL": url,
        "VARIORUM_SECRET_KEY": secrets.token_urlsafe(50),
        "DJANGO_SETTINGS_MODULE": "variorum.settings",
    }


@pytest.fixture
def boats():
    book, critic = builders.book(), builders.source()
    for first in range(2, 18, 2):
        builders.excerpt(book, critic, first=first)
    return book


def submit(book):
    return submitting.submit(book, ranker="bm25", parameters={"negatives": 3, "matching": False})


def outcome(job):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    rows = list(job.candidates.order_by("pk").values_list(*fields))
    return rows, CandidateJob.objects.values_list("status", "done", "counts").get(pk=job.pk)


def undisturbed(book):
    job = submit(book)
    assert pipeline.attempt(job.pk, "undisturbed")
    return outcome(job)


def test_two_workers_share_the_jobs(redis, scaled, boats):
    """The second does what comes while the first is busy; each job is worked on once."""
    expected = undisturbed(boats)
    redis.delete("cpu")
    with processes.patched_worker(scaled, BUSY_UNTIL_TOLD, "-n", "one@%h") as one:
        one.until("ready.")
        first = submit(boats)
        one.until("computing")
        with processes.worker(scaled, "-n", "two@%h") as two:
            two.until("ready.")
            more = [submit(boats) for _ in range(3)]
            for _ in range(5):
                notify.now(first.pk, "cpu")
            for _ in range(8):
                two.until("succeeded")
            assert CandidateJob.objects.get(pk=first.pk).status == Status.RUNNING
            assert not workers.is_absent("cpu")
            one.popen.stdin.write("x")
            one.popen.stdin.flush()
            one.until(f"Job {first.pk}: done")
            assert two.stop() == 0
        assert one.stop() == 0
    for job in [first, *more]:
        assert outcome(job) == expected
        assert CandidateJob.objects.get(pk=job.pk).attempts == 1
    assert workers.seconds_since_seen("cpu") is None


def test_of_eight_claimers_at_once_one_wins(redis, boats):
    pks = [submit(boats).pk for _ in range(25)]
    together = Barrier(8)

    def claims(worker):
        try:
            together.wait(60)
            return [pk for pk in pks if queue.claim(pk, worker)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(claims, [f"worker {n}" for n in range(8)]))
    assert sorted(pk for each in won for pk in each) == pks
    assert set(CandidateJob.objects.values_list("attempts", flat=True)) == {1}


def test_J01_a_job_shared_by_two_workers_because_the_first_was_killed(redis, scaled, boats):
    expected = undisturbed(boats)
    redis.delete("cpu")
    with processes.patched_worker(scaled, KILLED_IN_SECOND_CHUNK, "-n", "one@%h") as one:
        one.until("ready.")
        job = submit(boats)
        one.until("halfway")
        one.kill()
    left = CandidateJob.objects.get(pk=job.pk)
    assert (left.status, left.done, left.candidates.count()) == (Status.RUNNING, 4, 16)
    with processes.worker(scaled, "-n", "two@%h") as two:
        two.until(f"Job {job.pk}: done")
        assert two.stop() == 0
    assert outcome(job) == expected
    assert CandidateJob.objects.get(pk=job.pk).attempts == 2


def test_J02_a_queue_that_lost_everything_loses_no_job(redis, scaled, boats):
    job = submit(boats)
    assert redis.llen("cpu") == 1
    redis.delete("cpu")
    with processes.worker(scaled) as worker:
        worker.until(f"Job {job.pk}: done")
        assert worker.stop() == 0


def test_S13_messages_that_are_none_of_ours_are_refused_and_the_worker_lives(redis, scaled, boats, tmp_path):
    from variorum.celery import app

    canary = tmp_path / "canary"

    class Opens:
        def __reduce__(self):
            return open, (str(canary), "w")

    with processes.worker(scaled) as worker:
        worker.until("ready.")
        with app.connection_for_write() as broker, broker.Producer() as producer:
            producer.publish(
                b64encode(pickle.dumps(Opens())),
                routing_key="cpu",
                content_type="application/x-python-serialize",
                content_encoding="base64",
                headers={"task": "retrieval.work", "id": "1"},
            )
        worker.until("Refusing to deserialize")
        app.send_task("os.system", ("true",), queue="cpu")
        worker.until("unregistered task")
        app.send_task("retrieval.work", ("no number",), queue="cpu")
        worker.until("raised unexpected")
        job = submit(boats)
        worker.until(f"Job {job.pk}: done")
        assert worker.stop() == 0
    assert not canary.exists()


OTHER_MESSAGES = {
    "yaml": ("application/x-yaml", "utf-8", "!!python/object/apply:os.system [touch CANARY]", "deserialize"),
    "msgpack": ("application/x-msgpack", "binary", b"\x93\x01\x80\x80", "deserialize"),
    "no JSON": ("application/json", "utf-8", "{", "decode"),
    "a forged result": (
        "application/json", "utf-8",
        '[[1], {}, {"callbacks": [{"task": "os.system", "args": ["touch CANARY"], "options": {}}],'
        ' "errbacks": null, "chain": null, "chord": null}]', "",
    ),
}  # fmt: skip
"""Content type, encoding, body, and what the worker says of it."""


@pytest.mark.parametrize("which", OTHER_MESSAGES)
def test_S13_a_message_of_another_kind_runs_nothing(redis, scaled, boats, tmp_path, which):
    from variorum.celery import app

    canary = tmp_path / "canary"
    kind, encoding, body, complaint = OTHER_MESSAGES[which]
    body = body.replace("CANARY", str(canary)) if isinstance(body, str) else body
    headers = {"task": "retrieval.work", "id": "1", "lang": "py"}
    with processes.worker(scaled) as worker:
        worker.until("ready.")
        with app.connection_for_write() as broker, broker.Producer() as producer:
            producer.publish(
                body, routing_key="cpu", content_type=kind, content_encoding=encoding, headers=headers
            )
        if complaint:
            worker.until(complaint)
        job = submit(boats)
        worker.until(f"Job {job.pk}: done")
        assert worker.stop() == 0
    assert not canary.exists()


@pytest.fixture
def mortal_redis(tmp_path, monkeypatch, scaled):
    """A Redis of the test's own, which it kills and starts again; `mortal_redis(aof)` starts it."""
    from variorum.celery import app

    port, password, running = start.free_port(), secrets.token_urlsafe(16), []
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    monkeypatch.setattr(settings, "REDIS_URL", url)
    monkeypatch.setattr(app.conf, "broker_url", url)
    monkeypatch.setitem(scaled, "VARIORUM_REDIS_URL", url)

    def begin(aof):
        kept = "appendonly yes\nappendfsync always" if aof else "appendonly no"
        (tmp_path / "redis.conf").write_text(
            f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\n{kept}\ndir {tmp_path}\n'
        )
        running.append(subprocess.Popen(["redis-server", tmp_path / "redis.conf"], stdout=subprocess.DEVNULL))
        deadline = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        return running[-1]

    yield begin
    for each in running:
        each.kill()
        each.wait()


@pytest.mark.long
@pytest.mark.parametrize("aof", [True, False], ids=["with a log", "without"])
def test_J02_redis_is_killed_and_no_job_is_lost(mortal_redis, scaled, boats, aof):
    """Messages wait in it, a worker listens to it, and more is launched while it is away."""
    server = mortal_redis(aof)
    waiting = [submit(boats) for _ in range(3)]
    server.kill()
    server.wait()
    began = time.monotonic()
    launched = submit(boats)
    assert CandidateJob.objects.get(pk=launched.pk).status == Status.QUEUED
    assert time.monotonic() - began < 60
    again = mortal_redis(aof)
    with processes.worker(scaled) as worker:
        for job in [*waiting, launched]:
            worker.until(f"Job {job.pk}: done")
        again.kill()
        again.wait()
        while_away = submit(boats)
        mortal_redis(aof)
        # The worker finds it again, and its sweep rings for what was launched meanwhile.
        worker.until(f"Job {while_away.pk}: done")
        assert worker.stop() == 0
    assert set(CandidateJob.objects.values_list("status", "attempts")) == {(Status.DONE, 1)}


IMPATIENT = """
from kombu import connection as of_kombu
retry = of_kombu.retry_over_time
def at_once(fun, catch, args, kwargs, errback, most, *steps, **more):
    return retry(fun, catch, args, kwargs, errback, most, 0.02, 0, 0.02, **more)
of_kombu.retry_over_time = at_once
"""


@pytest.mark.long
def test_J02_redis_is_away_for_longer_than_celery_would_ask_for_it(mortal_redis, scaled, boats):
    """It asks a hundred times by itself and then ends; here every fiftieth of a second."""
    server = mortal_redis(False)
    with processes.patched_worker(scaled, IMPATIENT) as worker:
        worker.until("ready.")
        server.kill()
        server.wait()
        while_away = submit(boats)
        worker.until("(150/")
        mortal_redis(False)
        worker.until(f"Job {while_away.pk}: done")
        assert worker.stop() == 0
    assert set(CandidateJob.objects.values_list("status", "attempts")) == {(Status.DONE, 1)}


REDELIVERED = """
app.conf.broker_transport_options = {"visibility_timeout": 1, "unacked_restore_interval": 1}
scores = bm25.Bm25Index.scores
def slowly(self, queries):
    print("computing", flush=True)
    until = time.monotonic() + 6
    while time.monotonic() < until:
        pass
    return scores(self, queries)
bm25.Bm25Index.scores = slowly
"""


@pytest.mark.long
def test_J04_a_job_that_outlives_the_time_after_which_redis_gives_its_message_again_is_one_run(
    redis, scaled, boats
):
    early = "import time\nfrom variorum.celery import app\n"
    expected = undisturbed(boats)
    redis.delete("cpu")
    with (
        processes.patched_worker(scaled, early + REDELIVERED, "-n", "one@%h") as one,
        processes.patched_worker(scaled, early + REDELIVERED, "-n", "two@%h") as two,
    ):
        one.until("ready.")
        two.until("ready.")
        job = submit(boats)
        for _ in range(5):
            notify.now(job.pk, "cpu")
        deadline = time.monotonic() + 120
        while CandidateJob.objects.get(pk=job.pk).status != Status.DONE:
            assert time.monotonic() < deadline
            time.sleep(0.5)
        time.sleep(3)
    assert outcome(job) == expected
    assert CandidateJob.objects.get(pk=job.pk).attempts == 1

"""A worker that ends is started again: at once, then after ever longer pauses, and pages say so meanwhile."""

import socket
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from retrieval.jobs import restarts, status, workers
from retrieval.models import CandidateJob
from tests import builders
from variorum.server.restarting import RestartedChild


class Dying:
    """Children that end at once, or live; every start, end and pause is noted."""

    def __init__(self):
        self.noted, self.alive = [], False

    def start(self):
        self.noted.append("start")
        return SimpleNamespace(pid=7, poll=lambda: None if self.alive else 1)

    def ended(self, process, pause):
        self.noted.append(pause)

    def settled(self):
        self.noted.append("settled")


@pytest.fixture
def dying():
    return Dying()


def kept(dying):
    return RestartedChild(dying.start, ended=dying.ended, settled=dying.settled, now=0.0)


def test_a_worker_that_dies_at_each_start_is_tried_with_growing_pauses(dying):
    worker, now = kept(dying), 0.0
    for _ in range(2 * 8):
        worker.look(now)
        pauses = [each for each in dying.noted if each != "start"]
        now += pauses[-1] / 2
        tries = dying.noted.count("start")
        worker.look(now)
        assert dying.noted.count("start") == tries, "it was tried before its pause had ended"
        now += pauses[-1] / 2
        worker.look(now)
        assert dying.noted.count("start") == tries + 1
    assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_one_that_cannot_be_started_counts_as_one_that_ended(dying):
    refused = OSError("no memory")
    start = dying.start
    dying.start = Mock(side_effect=[refused, refused, start()])
    dying.alive = True
    worker = kept(dying)
    for now in (0.5, 1, 2.9, 3, 10):
        worker.look(now)
    assert dying.noted == ["start", 1, 2]
    assert (dying.start.call_count, worker.process.pid) == (3, 7)


def test_a_worker_that_lives_is_left_alone(dying):
    dying.alive = True
    worker = kept(dying)
    for now in range(0, 1000, 10):
        worker.look(now)
    assert dying.noted == ["start"]


def test_who_lived_for_minutes_begins_again_with_the_first_pause(dying):
    worker = kept(dying)
    for now in (0, 1, 1, 3):
        worker.look(now)
    dying.alive = True
    for now in (4, 302, 303, 400):
        worker.look(now)
    assert dying.noted == ["start", 1, "start", 2, "start", "settled"]
    dying.alive = False
    worker.look(401)
    assert dying.noted[-1] == 1


@pytest.fixture
def house(settings, tmp_path, db):
    settings.DATA_DIR = tmp_path
    return tmp_path


PID, ENDED = 4711, 1_800_000_000.0


def dead(house, monkeypatch, now):
    """A worker that has just said that it is there, and was seen to end; looked at `now` seconds later."""
    workers.report(f"celery@{socket.gethostname()}-{PID}", ["cpu", "gpu"])
    restarts.write(house, restarts.Restart(PID, -9, ENDED, ENDED + 8))
    monkeypatch.setattr(restarts.time, "time", lambda: ENDED + now)


def test_its_last_word_is_no_sign_of_life_but_that_of_another_is(house, monkeypatch):
    dead(house, monkeypatch, 3)
    assert workers.is_absent("cpu")
    workers.report("celery@elsewhere-1", ["cpu"])
    assert not workers.is_absent("cpu")
    assert workers.is_absent("gpu")


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (3, "The worker ended 3 s ago with status -9. It is started again in 5 s."),
        (9, "The worker ended 9 s ago with status -9. It is being started again."),
        (8 + restarts.TAKES_SECONDS, ""),
    ],
)
def test_pages_say_when_it_is_started_again(house, monkeypatch, as_user, stan, now, says):
    dead(house, monkeypatch, now)
    # The page of jobs speaks of a worker where one is waited for.
    CandidateJob.objects.create(book=builders.book())
    assert status.worker_ended(ENDED + now) == says
    pages = [as_user(stan).get(address).text for address in ("/", "/jobs/")]
    assert all((says in page) if says else ("The worker ended" not in page) for page in pages)


def test_nothing_is_said_once_it_works_again(house, monkeypatch, as_user, stan):
    dead(house, monkeypatch, 3)
    workers.report("celery@elsewhere-1", ["cpu", "gpu"])
    assert "The worker ended" not in as_user(stan).get("/").text
    restarts.clear(house)
    restarts.clear(house)
    assert restarts.pending_restart() is None


@pytest.mark.parametrize("text", ["", "[]", '{"pid": 1}', "\udcff"])
def test_a_damaged_file_says_nothing(house, text):
    (house / "running").mkdir()
    (house / restarts.FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert restarts.pending_restart() is None

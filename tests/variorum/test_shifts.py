"""Where web processes are more than cores they begin requests in shifts: who has one, and who is next."""

import contextlib
import os
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.variorum.test_web_worker import callers, listener, loop, reply, turns  # noqa: F401 - fixtures
from variorum.server import in_turn, shifts
from variorum.server.shifts import Roster, Shift

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system keeps no shifts")

PATIENT = 60
COLLEAGUE = """
import sys
from variorum.server.shifts import Roster
roster = Roster(int(sys.argv[1]), int(sys.argv[2]))
for line in sys.stdin:
    what, *which = line.split()
    print(getattr(roster, what)(*map(int, which)), flush=True)
"""


class Colleague:
    """Another process, which does with the roster what it is told."""

    def __init__(self, roster, stack):
        command = [sys.executable, "-c", COLLEAGUE, str(roster.file), str(roster.number)]
        self.process = subprocess.Popen(
            command, cwd=Path.cwd(), pass_fds=[roster.file], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        stack.callback(self.end)

    def tell(self, what, *which):
        self.process.stdin.write(f"{what} {' '.join(map(str, which))}\n")

    def says(self):
        return self.process.stdout.readline().strip()

    def does(self, what, *which):
        self.tell(what, *which)
        return self.says()

    def end(self):
        self.process.kill()
        self.process.communicate(timeout=PATIENT)


def until(is_so):
    deadline = time.monotonic() + PATIENT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.fixture
def stack():
    with contextlib.ExitStack() as opened:
        yield opened


@pytest.fixture
def roster(stack):
    """One shift at once, and a file for it that no other test has."""
    file = os.memfd_create("shifts of a test")
    stack.callback(os.close, file)
    return Roster(file, 1)


def test_as_many_processes_have_a_shift_as_there_are_and_a_killed_one_has_none(roster, stack):
    roster.number = 2
    first, second, third = (Colleague(roster, stack) for _ in range(3))
    assert [each.does("take_free", 1) for each in (first, second, third)] == ["1", "0", "None"]
    second.end()
    assert third.does("take_free", 1) == "0"
    first.does("give_back", 1)
    assert Colleague(roster, stack).does("take_free", 0) == "1"


def test_who_has_had_a_shift_cannot_take_it_from_who_waits_for_it(roster, stack):
    had, waits, waits_after = (Colleague(roster, stack) for _ in range(3))
    assert had.does("take_free", 0) == "0"
    waits.tell("wait_for", 0)
    until(lambda: roster.is_waited_for(0))
    waits_after.tell("wait_for", 0)
    for _ in range(20):
        # Both at once, as a process does that has more to do.
        had.process.stdin.write("give_back 0\ntake_free 0\n")
        assert (had.says(), had.says()) == ("None", "None")
    assert waits.says() == "None"
    waits.end()
    assert waits_after.says() == "None"


def nobody_waits():
    """Wait until no thread of this process waits for a shift of a test that is over."""
    until(lambda: not any(each.name == "waits-for-shift" for each in threading.enumerate()))


@pytest.fixture
def shared(loop, listener, roster, stack, monkeypatch):  # noqa: F811
    """One process of two on a single core, a listener, and the other process."""
    monkeypatch.setattr(shifts, "cores", lambda: 1)
    monkeypatch.setattr(shifts, "shared_file", lambda: roster.file)
    monkeypatch.setattr(shifts, "time", in_turn.time)
    loop.worker._shift = Shift(1, 2, loop.worker._when_shift_has_come)
    queue = loop.worker.method_queue
    queue.init()
    stack.callback(queue.close)
    loop.worker.poller.register(queue.fileno(), selectors.EVENT_READ, queue.run_callbacks)
    stack.callback(nobody_waits)
    loop.colleague = Colleague(roster, stack)
    return loop


def test_a_process_begins_requests_while_it_has_its_shift_and_no_longer(shared, listener, roster):  # noqa: F811
    callers(shared, listener, 6)
    turns(shared)
    assert len(shared.handed) == 2
    shared.colleague.tell("wait_for", 0)
    until(lambda: roster.is_waited_for(0))
    shared.now += shifts.SHIFT_SECONDS / 4
    reply(shared)
    assert len(shared.handed) == 2
    shared.now += shifts.SHIFT_SECONDS * 3 / 4
    reply(shared)
    assert len(shared.handed) == 1
    reply(shared)
    assert shared.handed == []
    assert shared.colleague.says() == "None"
    turns(shared)
    assert (shared.handed, shared.worker.at_work) == ([], 2)
    shared.colleague.does("give_back", 0)
    until(lambda: turns(shared, 1) or len(shared.handed) == 2)


def test_a_shift_for_which_nobody_waits_goes_on(shared, listener):  # noqa: F811
    callers(shared, listener, 4)
    turns(shared)
    shared.now += shifts.SHIFT_SECONDS
    reply(shared)
    assert len(shared.handed) == 2
    assert not shared.worker._shift.is_over


def test_a_process_without_its_shift_leaves_who_comes_to_the_others(shared, listener):  # noqa: F811
    shared.colleague.does("take_free", 0)
    callers(shared, listener, 6)
    turns(shared)
    assert (shared.handed, shared.worker.at_work) == ([], in_turn.AT_ONCE)


def test_a_process_that_has_nothing_to_do_gives_its_shift_back(shared, listener):  # noqa: F811
    callers(shared, listener, 1)
    turns(shared)
    assert shared.colleague.does("take_free", 0) == "None"
    reply(shared)
    assert shared.colleague.does("take_free", 0) == "0"


def test_a_request_that_takes_long_keeps_no_shift(shared, listener):  # noqa: F811
    callers(shared, listener, 1)
    turns(shared)
    waited = []
    select = Mock(side_effect=lambda seconds: waited.append(seconds) or [])
    shared.worker.poller = Mock(wraps=shared.worker.poller, select=select)
    shared.worker.wait_for_and_dispatch_events(1.0)
    assert waited == pytest.approx([in_turn.COUNTS_SECONDS])
    shared.now += in_turn.COUNTS_SECONDS
    shared.worker.wait_for_and_dispatch_events(1.0)
    assert shared.colleague.does("take_free", 0) == "0"
    assert len(shared.handed) == 1


def test_nobody_waits_for_a_shift_without_end(shared, listener):  # noqa: F811
    shared.colleague.does("take_free", 0)
    callers(shared, listener, 3)
    turns(shared)
    assert shared.worker._seconds_to_next() == pytest.approx(shifts.PATIENCE_SECONDS)
    shared.now += shifts.PATIENCE_SECONDS
    turns(shared)
    assert len(shared.handed) == 2
    for left in (2, 1):
        reply(shared)
        turns(shared)
        assert len(shared.handed) == left
    # The shift comes when there is little left to do for it, and is given back with the last reply.
    shared.colleague.does("give_back", 0)
    until(lambda: turns(shared, 1) or shared.worker._shift.is_on)
    reply(shared)
    assert shared.colleague.does("take_free", 0) == "0"


@pytest.mark.parametrize("broken", ["thread", "lock"])
def test_where_nobody_can_wait_for_a_shift_requests_begin_without(shared, listener, monkeypatch, broken):  # noqa: F811
    shared.colleague.does("take_free", 0)
    if broken == "thread":
        monkeypatch.setattr(
            threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread"))
        )
    else:
        monkeypatch.setattr(threading, "excepthook", Mock())
        monkeypatch.setattr(Roster, "wait_for", Mock(side_effect=OSError("No locks available")))
    callers(shared, listener, 3)
    until(lambda: turns(shared, 1) or len(shared.handed) == 2)
    assert shared.worker._shift.is_needed is (broken == "thread")


@pytest.mark.parametrize(("processes", "needed"), [(1, False), (2, False), (3, True)])
def test_there_are_shifts_where_there_are_more_processes_than_cores(monkeypatch, processes, needed):
    monkeypatch.setattr(shifts, "cores", lambda: 2)
    assert Shift(1, processes, Mock()).is_needed is needed


def test_one_shift_after_the_other_is_waited_for_so_that_all_processes_have_as_many(monkeypatch):
    """Three processes and two shifts: two that always wait for the same one have half as many each."""
    waited, came = [], []
    monkeypatch.setattr(shifts, "cores", lambda: 3)
    monkeypatch.setattr(Roster, "take_free", Mock(return_value=None))
    monkeypatch.setattr(Roster, "give_back", Mock())
    monkeypatch.setattr(Roster, "wait_for", lambda roster, which: waited.append(which))
    shift = Shift(1, 4, came.append)
    for times in (1, 2, 3, 4):
        assert not shift.may_begin()
        until(lambda times=times: len(came) == times)
        shift.begin(came[-1])
        assert shift.is_on
        shift.give_back()
    assert waited == came == [1, 2, 0, 1]


@pytest.mark.parametrize("files", ["missing", "refused"])
def test_without_files_in_memory_there_are_none(monkeypatch, files):
    monkeypatch.setattr(shifts, "cores", lambda: 1)
    monkeypatch.setattr(shifts, "shared_file", shifts.shared_file.__wrapped__)
    if files == "missing":
        monkeypatch.delattr(os, "memfd_create")
    else:
        monkeypatch.setattr(os, "memfd_create", Mock(side_effect=PermissionError))
    made = Shift(1, 2, Mock())
    assert (made.is_needed, made.may_begin(), made.is_on, made.wait()) == (False, True, False, 0.0)

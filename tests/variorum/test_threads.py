"""Threads for requests: the one that worked last works next; what else Python's pool does is done as well."""

import queue
import threading
import time

import pytest

from variorum.server.threads import LastFirst, LastFirstThreads

PATIENT = 60


def until(is_so):
    deadline = time.monotonic() + PATIENT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_the_thread_that_worked_last_works_next():
    with LastFirstThreads(3) as pool:
        meet = threading.Barrier(4)
        together = [pool.submit(lambda: meet.wait(PATIENT) and None) for _ in range(3)]
        meet.wait(PATIENT)
        for each in together:
            each.result(PATIENT)
        used = []
        for _ in range(10):
            until(lambda: len(pool._work_queue._waiting) == 3)
            used.append(pool.submit(threading.get_ident).result(PATIENT))
        assert len(pool._threads) == 3
    assert len(set(used)) == 1
    assert not any(thread.is_alive() for thread in pool._threads)


def test_work_waits_in_order_where_all_threads_have_some_and_errors_are_told():
    done = []
    with LastFirstThreads(1) as pool:
        go = threading.Event()
        pool.submit(go.wait, PATIENT)
        for number in range(5):
            pool.submit(done.append, number)
        failed = pool.submit(int, "none")
        go.set()
    assert done == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="none"):
        failed.result()
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.submit(int)


def test_a_thread_whose_work_another_took_waits_again():
    """Whoever is woken may find that a thread that had just finished was quicker."""
    work = LastFirst()
    got = []
    waiting = threading.Thread(target=lambda: got.append(work.get()), daemon=True)
    waiting.start()
    until(lambda: work._waiting)
    with work._mutex:
        work._waiting.pop().release()
    until(lambda: work._waiting)
    work.put("for it")
    waiting.join(PATIENT)
    assert got == ["for it"]
    with pytest.raises(queue.Empty):
        work.get_nowait()

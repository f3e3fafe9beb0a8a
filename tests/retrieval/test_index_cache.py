"""Indices in memory: bounded, made once, safe between threads."""

from threading import Barrier, Event, Thread

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.search.index_cache import IndexCache, deep_bytes


class Index:
    def __init__(self, size=1000):
        self.weights = np.zeros(size, dtype=np.uint8)

    def scores(self, queries):
        return np.zeros((len(queries), 1))


def test_made_once_and_found_again():
    made, prepared = [], IndexCache()
    first = prepared.get("a", lambda: made.append(1) or Index())
    assert prepared.get("a", lambda: made.append(1) or Index()) is first
    assert len(made) == len(prepared) == 1


def test_the_longest_unused_goes_first_and_bytes_stay_below_the_limit():
    prepared = IndexCache(limit=3 * deep_bytes(Index()))
    for key in "abc":
        prepared.get(key, Index)
    kept = prepared.get("a", Index)
    prepared.get("d", Index)
    assert len(prepared) == 3
    assert prepared.get("a", Index) is kept
    made = []
    prepared.get("b", lambda: made.append(1) or Index())
    assert made == [1]
    assert prepared.nbytes <= prepared.limit


def test_one_larger_than_the_limit_is_given_but_not_kept():
    prepared = IndexCache(limit=500)
    assert prepared.get("a", Index).weights.size == 1000
    assert (len(prepared), prepared.nbytes) == (0, 0)


def test_threads_that_ask_meanwhile_wait_for_the_one_that_makes_it():
    prepared, made, found = IndexCache(), [], []
    ready, go = Barrier(5), Event()

    def make():
        made.append(1)
        go.wait(60)
        return Index()

    def ask():
        ready.wait(60)
        found.append(prepared.get("a", make))

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait(60)
    go.set()
    for thread in threads:
        thread.join(60)
    assert len(made) == 1
    assert len(found) == 4
    assert len({id(index) for index in found}) == 1


def test_what_goes_wrong_is_raised_and_not_kept():
    prepared = IndexCache()

    def wrong():
        raise BadInput("No passage has a word.")

    with pytest.raises(BadInput, match="No passage"):
        prepared.get("a", wrong)
    assert isinstance(prepared.get("a", Index), Index)


def test_bytes_count_buffers_once_and_views_by_what_they_hold():
    array = np.zeros(10_000)
    assert 80_000 < deep_bytes([array, array]) < 81_000
    assert deep_bytes(array[:10]) > 80_000
    assert deep_bytes({"word" * 100: 1}) > 400

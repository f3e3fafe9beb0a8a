"""Calls behind a roomy one ask the system for no memory, however deep they stand."""

import resource
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.stack import roomy

DEEP, CALLS = 300, 200
"""Frames, which fill more than one chunk of 16 KiB, and calls from each of them."""


def leaf():
    return None


def calls_from_every_depth(left=DEEP):
    for _ in range(CALLS):
        leaf()
    if left:
        calls_from_every_depth(left - 1)


def pages_asked_for(run, *arguments):
    """How many pages of memory a thread of its own is given meanwhile."""

    def counted():
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        run(*arguments)
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before

    with ThreadPoolExecutor(1) as threads:
        threads.submit(calls_from_every_depth, 1).result()
        return threads.submit(counted).result()


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_THREAD"), reason="counted on Linux only")
def test_a_call_at_the_end_of_a_chunk_of_frames_maps_no_memory():
    alone, with_room = pages_asked_for(calls_from_every_depth), pages_asked_for(roomy, calls_from_every_depth)
    assert with_room < CALLS / 2 < alone


def test_it_returns_what_the_function_does_and_lets_its_errors_through():
    assert roomy(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        roomy(divmod, 7, 0)

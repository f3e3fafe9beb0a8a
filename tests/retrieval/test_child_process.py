"""Work in a process of its own: what comes back, and what ends it."""

import operator
import os
import resource
import select
import sys
from contextlib import closing

import pytest

from common.errors import BadInput
from retrieval.engine.formats import encodings
from retrieval.jobs import child_process
from tests.retrieval import hanging, processes

ORPHAN = """
import os
from retrieval.jobs import child_process
from tests.retrieval import hanging

with child_process.ChildProcess(1000, lambda: None) as child:
    print(child(os.getpid), flush=True)
    child(hanging.on_a_text, "")
"""


def nobody():
    """Watches nothing."""


@pytest.fixture
def compute():
    with child_process.ChildProcess(1000, nobody) as child:
        yield child


def test_it_calls_one_function_after_another_in_another_process(compute):
    assert compute(operator.add, 2, 3) == 5
    there = compute(os.getpid)
    assert there != os.getpid()
    assert compute(os.getpid) == there


def test_bad_input_comes_back_as_it_was_raised_and_another_call_may_follow(compute):
    with pytest.raises(BadInput, match=r"n\.txt is empty"):
        compute(encodings.decode, b"", "n.txt")
    assert compute(encodings.decode, b"words", "n.txt").text == "words"


def test_any_other_exception_is_named(compute):
    with pytest.raises(child_process.ChildDied, match="ZeroDivisionError: by a comma"):
        compute(hanging.broken)


def test_a_child_that_is_killed_is_said_to_be(compute):
    with pytest.raises(
        child_process.ChildDied, match="was killed, as a machine does that runs out of memory"
    ):
        compute(hanging.killed)


def test_a_child_that_ends_by_itself_is_said_to_have(compute):
    with pytest.raises(child_process.ChildDied, match="ended by itself, with status 3"):
        compute(os._exit, 3)


def test_what_hangs_in_a_pattern_ends_with_its_time(children):
    with pytest.raises(child_process.TimeLimitReached), child_process.ChildProcess(0, nobody) as child:
        child(hanging.on_a_text, "")


def test_whoever_watches_can_end_it(children):
    class Enough(Exception):
        pass

    def watch():
        raise Enough

    with pytest.raises(Enough), child_process.ChildProcess(1000, watch) as child:
        child(hanging.on_a_text, "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of processor time ends it")
def test_a_child_whose_parent_is_killed_ends_though_it_hangs():
    """The parent is a process that starts a child, says its number and is killed while the child hangs."""
    with processes.started(dict(os.environ), "-c", ORPHAN) as parent:
        child = os.pidfd_open(int(parent.until("\n")))
        parent.kill()
    with closing(os.fdopen(child)):
        assert select.select([child], [], [], processes.TIMEOUT)[0], "the child goes on without its parent"


def test_an_orphan_that_hangs_is_ended_by_the_system(compute):
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if most == resource.RLIM_INFINITY:
        assert compute(resource.getrlimit, resource.RLIMIT_CPU) == (2060, 2060)
    else:
        assert compute(resource.getrlimit, resource.RLIMIT_CPU)[1] <= most


def test_the_script_that_begins_it_is_not_run_again_in_it(tmp_path, settings):
    script = tmp_path / "script.py"
    script.write_text(
        "import operator\n"
        "from retrieval.jobs import child_process\n"
        "print('begun', flush=True)\n"
        "with child_process.ChildProcess(1000, lambda: None) as child:\n"
        "    print(child(operator.add, 2, 3))\n"
    )
    with processes.started({**os.environ, "PYTHONPATH": str(settings.BASE_DIR)}, str(script)) as run:
        run.until("5")
        assert run.seen == ["begun\n", "5\n"]

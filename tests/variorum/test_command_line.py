"""Commands whose output is piped into a program that stops reading end without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import manage

ROOT = Path(__file__).resolve().parents[2]
MANY = "import manage\nmanage.run = lambda: print('a lamp burns\\n' * 200_000)\nmanage.main()"
FEW = "import manage\nmanage.run = lambda: print('a lamp burns')\nmanage.main()"
FAULT = "import manage, sys\ndef run(): sys.exit('A fault.')\nmanage.run = run\nmanage.main()"
NETWORK = (
    "import manage\ndef run(): raise BrokenPipeError(32, 'Broken pipe')\nmanage.run = run\nmanage.main()"
)


def unread(*command: str, errors: bool = False) -> tuple[int, str]:
    """Run Python with nobody at the other end of its output; return its status and errors."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [sys.executable, *command], cwd=ROOT, stdout=writer, stderr=writer if errors else subprocess.PIPE,
            text=True, timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(writer)
    return ended.returncode, ended.stderr or ""


@pytest.mark.parametrize("program", [MANY, FEW], ids=["in the middle", "at the end"])
@pytest.mark.parametrize("errors", [False, True], ids=["output", "output and errors"])
def test_who_stops_reading_hears_nothing(program, errors):
    assert unread("-c", program, errors=errors) == (manage.SIGPIPE_STATUS, "")


def test_a_fault_is_still_said_where_somebody_reads_it():
    assert unread("-c", FAULT) == (1, "A fault.\n")
    assert unread("-c", FAULT, errors=True)[0] != 0


def test_a_broken_pipe_of_the_network_is_said():
    ended = subprocess.run(
        [sys.executable, "-c", NETWORK], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, "BrokenPipeError: [Errno 32] Broken pipe\n")


def test_nothing_open_to_write_to_is_no_fault():
    ended = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" >&- 2>&-', sys.executable, FEW], cwd=ROOT, check=False
    )
    assert ended.returncode == 0


def test_a_command_of_django_ends_so_too():
    assert unread("manage.py", "help") == (manage.SIGPIPE_STATUS, "")

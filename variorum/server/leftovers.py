"""Find and end the processes that an earlier start left behind, by the record it wrote.

Each child leads a process group of its own. The record names the children by pid, by when they started and
by their command, so that a number which has gone to another program since is never mistaken for ours. Linux
only: elsewhere nothing is found.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
BOOT = PROC / "sys/kernel/random/boot_id"


class RunningProcess(NamedTuple):
    """A process as the kernel reports it.

    pid: its number.
    group: number of its process group.
    start: when it began, in clock ticks since boot.
    command: its arguments.
    """

    pid: int
    group: int
    start: int
    command: list[str]


class StartedChild(NamedTuple):
    """A child that leads a process group.

    pid: its number, also that of the group.
    start: when it began, in clock ticks since boot.
    command: its arguments.
    """

    pid: int
    start: int
    command: list[str]


def find_process(pid: int) -> RunningProcess | None:
    """Return the process of that number, if it runs under this user."""
    try:
        # The name, in brackets, may hold anything.
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        words = (PROC / str(pid) / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        if fields[0] == "Z" or (PROC / str(pid)).stat().st_uid != os.geteuid():
            return None
    except (OSError, IndexError):
        return None
    return RunningProcess(pid, int(fields[2]), int(fields[19]), [os.fsdecode(word) for word in words])


def describe_child(pid: int, command: Sequence[str]) -> StartedChild:
    """Return what to record of a child."""
    seen = find_process(pid)
    return StartedChild(pid, seen.start if seen else 0, list(command))


def boot() -> str:
    """Return the kernel's id of this boot."""
    with suppress(OSError):
        return BOOT.read_text().strip()
    return ""


def record_of(folder: Path) -> Path:
    """Return the file in which this process records what it started; the data directory is `folder`."""
    return folder / "running" / f"serve-{os.getpid()}.json"


def write_record(folder: Path, children: Iterable[StartedChild]) -> Path:
    """Write the record."""
    own, path = os.getpid(), record_of(folder)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    said = {"boot": boot(), "own": describe_child(own, []), "children": list(children)}
    written = path.with_suffix(".new")
    written.write_text(json.dumps(said), encoding="utf-8")
    written.replace(path)
    return path


def read_records(folder: Path) -> Iterator[tuple[Path, list[StartedChild]]]:
    """Return the records of starts that are gone, with their children."""
    for path in filter(Path.is_file, sorted((folder / "running").glob("serve-*.json"))):
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            own = StartedChild(*said["own"])
            children = [StartedChild(*each) for each in said["children"]]
        except (OSError, ValueError, KeyError, TypeError):
            yield path, []
            continue
        seen = find_process(own.pid)
        same_boot = said.get("boot") == boot()
        if same_boot and seen and seen.start == own.start:
            continue
        yield path, children if same_boot else []


def remaining_processes(child: StartedChild) -> list[int]:
    """Return what still runs of a child: itself, and its group."""
    leader = find_process(child.pid)
    if leader and leader.start != child.start:
        return []
    numbers = [int(path.name) for path in PROC.glob("[0-9]*")] if PROC.is_dir() else []
    return [pid for pid in numbers if _is_of(pid, child)]


def _is_of(pid: int, child: StartedChild) -> bool:
    seen = find_process(pid)
    if seen is None or not child.start:
        return False
    return seen.group == child.pid and seen.start >= child.start and seen.command == child.command


def end(children: Sequence[StartedChild], patience: float) -> list[int]:
    """Ask the remaining processes to end, wait, and kill them; return which they were."""
    found = [(pid, child) for child in children for pid in remaining_processes(child)]
    for pid, child in found:
        _tell(pid, child, signal.SIGTERM)
    deadline = time.monotonic() + patience
    while any(_is_of(*each) for each in found) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid, child in found:
        _tell(pid, child, signal.SIGKILL)
    while any(_is_of(*each) for each in found) and time.monotonic() < deadline + patience:
        time.sleep(0.05)
    return [pid for pid, _ in found]


def _tell(pid: int, child: StartedChild, number: signal.Signals) -> None:
    """Send a signal to that very process: an opened process cannot become another one meanwhile."""
    try:
        opened = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if _is_of(pid, child):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(opened, number)
    finally:
        os.close(opened)


def end_leftovers(folder: Path, patience: float, say: Callable[[str], None]) -> None:
    """End what earlier starts on this data directory left behind, and say so."""
    for path, children in read_records(folder):
        ended = end(children, patience)
        if ended:
            numbers = ", ".join(map(str, ended))
            say(f"An earlier start was killed and left processes behind, which were ended: {numbers}.")
        path.unlink(missing_ok=True)

"""How much memory processes hold and how long they computed, read from the kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def family(pid: int) -> Iterator[int]:
    """A process and all its children."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        for task in Path(f"/proc/{one}/task").iterdir():
            waiting += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]


def resident_megabytes(pid: int) -> float:
    """Proportional resident memory of a process and all its children, in MB: shared pages count once."""
    total = 0
    for one in family(pid):
        rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        total += int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")))
    return total / 1024


def processor_seconds(pid: int) -> float:
    """What a process and its children have computed so far, in their own code and in the kernel.

    Those of its children that have ended count as well: a server's, whose connections last five minutes.
    """
    ticks = 0
    for one in family(pid):
        fields = Path(f"/proc/{one}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")

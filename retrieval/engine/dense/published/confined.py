"""Limits that a process sets itself before it reads a file from outside; there is no way back.

They stand behind `torch.load(weights_only=True)`, which makes nothing but tensors and plain values: should
that have a hole, what comes through finds no network, starts no program and gets no more memory than the file
needs.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from typing import Any

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "pty.",
)
"""Beginnings of Python's audit events: network and programs."""


def limit(memory: int) -> None:
    """Leave this process so many bytes of memory and, where the system lets it, a network without anything.

    To be called before torch is loaded: a process with several threads cannot leave its network.
    """
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        unshare = ctypes.CDLL(None).unshare
        if unshare(_NEW_NETWORK) != 0:
            unshare(_NEW_USER | _NEW_NETWORK)


def forbid_programs_and_network() -> None:
    """Make every later attempt of Python code to open a socket or start a program a PermissionError."""

    def look(event: str, _: tuple[Any, ...]) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(f"{event} is not allowed while weights are read.")

    sys.addaudithook(look)

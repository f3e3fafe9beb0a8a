"""What stays of `manage.py serve` once everything is prepared: a process that has loaded no application.

The command prepares the database and then becomes this program, which starts web and worker, waits, and
starts the worker again. It keeps its number, its terminal and the open port; of the memory that Django and
the migrations took nothing is kept.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from variorum.server import processes

ROOT = Path(__file__).resolve().parent.parent.parent
WAIT_SECONDS = 60


class Site(NamedTuple):
    """What to start, and what to say of it.

    web, worker: their commands.
    folder: the data directory.
    url, name: where the site answers, and the name that it is asked by.
    said: what is printed once it does.
    listening: the number of the open port.
    """

    web: list[str]
    worker: list[str]
    folder: str
    url: str
    name: str
    said: str
    listening: int


def become(site: Site) -> NoReturn:
    """Go on as this program. What is said may hold sign-in links, so it goes through a pipe: others can read
    the arguments of a process.
    """
    reads, writes = os.pipe()
    with open(writes, "w", encoding="utf-8") as pipe:
        json.dump(site._asdict(), pipe)
    for number in (reads, site.listening):
        os.set_inheritable(number, True)
    # Wherever this was started from, also for web and worker.
    environment = dict(os.environ)
    paths = filter(None, [str(ROOT), environment.get("PYTHONPATH")])
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    program = [sys.executable, "-m", "variorum.server.supervisor", str(reads)]
    os.execve(sys.executable, program, environment)  # noqa: S606 - this very Python


def say(text: str, to: int = 2) -> None:
    """Write a sentence, to a terminal or to nobody: the site goes on where whoever read it has gone."""
    with suppress(OSError):
        os.write(to, f"{text}\n".encode())


def supervise(site: Site) -> int:
    """Run web and worker to the end; return the exit status."""

    def ready(alive: processes.Alive) -> None:
        page = f"{site.url}/login/"
        answers = processes.wait_until_answering(page, WAIT_SECONDS, alive, site.name)
        if not answers and alive():
            say(f"{site.url} has not answered for a minute; still waiting.")
            answers = processes.wait_until_answering(page, 10 * WAIT_SECONDS, alive, site.name)
        if answers:
            say(site.said, to=1)

    return processes.run(
        site.web,
        site.worker,
        ready=ready,
        say=say,
        folder=Path(site.folder),
        listening_socket=socket.socket(fileno=site.listening),
    )


if __name__ == "__main__":
    with open(int(sys.argv[1]), encoding="utf-8") as told:
        site = Site(**json.load(told))
    sys.exit(supervise(site))

"""doccano, as its own command starts it, and the seven requests that its page makes of an item.

It comes from the package index into a virtual environment of its own, which is kept, with what
`benchmarks/requirements-peer.txt` pins. Its command would listen on every address of the machine, so gunicorn
is started with that command's settings, but on loopback.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import served
from benchmarks.load_readers import Journal

HERE = Path(__file__).resolve().parent
PINS = HERE.parent / "requirements-peer.txt"


def installed(folder: Path) -> Path:
    """Return the peer's Python; it is installed into `folder` where it is not there as pinned."""
    python, pins = folder / "bin/python", folder / "installed.txt"
    if not (pins.exists() and pins.read_text(encoding="utf-8") == PINS.read_text(encoding="utf-8")):
        print(f"Installing doccano into {folder}, which takes some minutes.", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", PINS], check=True)
        pins.write_text(PINS.read_text(encoding="utf-8"), encoding="utf-8")
    return python


class Site:
    """doccano on a new database.

    Args:
        python: Its Python.
        folder: Where its files and an SQLite database lie.
        url: Of a PostgreSQL database; empty for SQLite.
    """

    def __init__(self, python: Path, folder: Path, url: str) -> None:
        self.python = python
        find = "import importlib.util as u; print(u.find_spec('backend').submodule_search_locations[0])"
        self.program = subprocess.check_output([python, "-c", find], text=True).strip()
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
        self.environment = {
            **kept,
            "DATABASE_URL": f"{url}?sslmode=disable" if url else f"sqlite:///{folder}/db.sqlite3",
            "DEBUG": "False",
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "MEDIA_ROOT": str(folder / "media"),
            "SECRET_KEY": secrets.token_urlsafe(50),
            "STANDALONE": "True",
        }

    def project(self, items: int, readers: int) -> dict[str, Any]:
        """Make its database and a project whose texts are those of our items."""
        texts = "\n".join(
            json.dumps(" ".join([*item["left"], *item["right"], *item["options"]]))
            for item in map(served.payload, range(1, items + 1))
        )
        done = subprocess.run(
            [self.python.absolute(), HERE / "project.py", str(readers)],
            cwd=self.program,
            env={**self.environment, "PYTHONPATH": self.program},
            input=texts,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"doccano's database cannot be made: {done.stderr[-2000:]}")
        made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return made

    @contextmanager
    def served(self, processes: int) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
        """Its web server on a port that the kernel gave, and its process."""
        from variorum.server.processes import wait_until_answering

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        bound = ["--bind", f"127.0.0.1:{port}", "--workers", str(processes), "--chdir", self.program]
        command = [self.python, "-m", "gunicorn", *bound, "--capture-output", "--log-level", "info"]
        web = subprocess.Popen(
            [*command, "config.wsgi"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            page = f"http://127.0.0.1:{port}/admin/login/"
            if not wait_until_answering(page, 120, lambda: web.poll() is None):
                raise SystemExit("doccano did not answer within two minutes.")
            yield port, web
        finally:
            web.terminate()
            web.wait(40)


class Reader:
    """A browser's part of the work at one project."""

    def __init__(self, port: int, made: dict[str, Any], session: str) -> None:
        self.project, self.labels = f"/v1/projects/{made['project']}", made["labels"]
        token = secrets.token_hex(16)
        self.headers = {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token}
        self.connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self.page, self.example = 0, self.shown(0)

    def ask(self, method: str, path: str, data: object = None) -> Any:
        """One request below the project's address. Raises `RuntimeError` where it is refused."""
        headers = {**self.headers, "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data)
        self.connection.request(method, self.project + path, body, headers)
        reply = self.connection.getresponse()
        said = reply.read()
        if reply.status >= 400:
            raise RuntimeError(str(reply.status))
        return json.loads(said)

    def shown(self, page: int) -> int:
        """Show a page: the number of its example, whose labels are asked for as well."""
        found = self.ask("GET", f"/examples?limit=1&offset={page}&q=&confirmed=&ordering=")
        example = int(found["results"][0]["id"])
        self.ask("GET", f"/examples/{example}/categories")
        return example

    def step(self, option: int) -> int:
        """Label the example, confirm it and go to the next: what the page asks, in its order.

        Returns how many the page then says are confirmed.
        """
        example = f"/examples/{self.example}"
        self.ask("POST", f"{example}/categories", {"label": self.labels[option]})
        self.ask("GET", f"{example}/categories")
        self.ask("POST", f"{example}/states", {})
        self.ask("GET", example)
        confirmed = int(self.ask("GET", "/metrics/progress")["complete"])
        self.page, self.example = self.page + 1, self.shown(self.page + 1)
        return confirmed

    def read(self, random: Random, end: float) -> Journal:
        """Answer until the end."""
        journal = Journal([], [], [], Counter())
        while time.monotonic() < end:
            start = time.perf_counter()
            try:
                confirmed = self.step(random.randrange(3))
            except (OSError, HTTPException, RuntimeError) as error:
                self.connection.close()
                journal.errors[str(error) if isinstance(error, RuntimeError) else type(error).__name__] += 1
                continue
            journal.seconds.append(time.perf_counter() - start)
            journal.kept.append(str(confirmed))
        return journal


def faults(journals: Sequence[Sequence[Journal]]) -> dict[str, int]:
    """How many readers' pages say that another number is confirmed than they confirmed, in all their work."""
    read = [[one for each in of_reader for one in each.kept] for of_reader in zip(*journals, strict=True)]
    return {"progress": sum(kept != [str(each + 1) for each in range(len(kept))] for kept in read)}


def work(people: Sequence[Reader], seconds: float) -> list[Journal]:
    """Let all work without pause for that time."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(len(people)) as room:
        return list(room.map(lambda one: one[1].read(Random(one[0]), end), enumerate(people)))

"""The site as people get it: gunicorn, compressed static files, its own data folder and database."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from variorum.server import processes

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_START = 300
MODELS = """
[endpoints.word-overlap]
kind = "scripted"
title = "Word overlap, a script and no model"
function = "variorum.demo.machine:by_overlap"

[endpoints.obedient]
title = "A model of the tests"
kind = "scripted"
function = "tests.machines.scripts:obedient"
"""
"""The demonstration's model, as its own command describes it, and one of the tests."""


class Site:
    """Where the site answers, and what changes its database from behind."""

    def __init__(self, url: str, backstage: subprocess.Popen[str]) -> None:
        self.url = url
        self._backstage = backstage

    def ask(self, act: str, **fields: Any) -> Any:
        """Have one function of `backstage` done, and return what it says."""
        assert self._backstage.stdin
        assert self._backstage.stdout
        self._backstage.stdin.write(json.dumps({"do": act, **fields}) + "\n")
        self._backstage.stdin.flush()
        line = self._backstage.stdout.readline()
        if not line:
            raise RuntimeError(f"Backstage could not do {act}; its own words stand above.")
        return json.loads(line)


@contextmanager
def started(folder: Path, *, demonstration: bool = True) -> Iterator[Site]:
    """A site on a new folder, with the demonstration or with its people only; it ends with the block."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VARIORUM_")}
    environment |= {"VARIORUM_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "variorum.settings"}
    environment["VARIORUM_MODELS"] = MODELS
    backstage = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.backstage"],
        cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with backstage:
        try:
            with socket.create_server(("127.0.0.1", 0)) as door:
                site = Site(f"http://127.0.0.1:{door.getsockname()[1]}", backstage)
                site.ask("prepare", demonstration=demonstration)
                command = behind(door)
                web = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[door.fileno()])
            with web:
                try:
                    alive = processes.wait_until_answering(
                        f"{site.url}/login/", SECONDS_TO_START, lambda: web.poll() is None
                    )
                    assert alive, "The site does not answer."
                    yield site
                finally:
                    web.terminate()
        finally:
            backstage.terminate()


def behind(door: socket.socket) -> list[str]:
    """The command of the web server, on a port that is held open already: nobody else can take it."""
    command = processes.web_command(*door.getsockname(), 1)
    command[command.index("--bind") + 1] = f"fd://{door.fileno()}"
    return command

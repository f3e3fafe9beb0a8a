"""An installation of its own for a case: its folder, its database, commands and scripts that run in it.

Its database is a file of SQLite, or a new one on the PostgreSQL that `VARIORUM_DATABASE_URL` names.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVER = "VARIORUM_DATABASE_URL"
HERE = "postgresql" if os.environ.get(SERVER) else "sqlite"
"""The database on which the tests run."""
READY = """
import json, os, signal, sys, time
sys.path.insert(0, os.getcwd())
import django
django.setup()
from django.db import connection, transaction
from tests import builders
"""
LONGEST = 1200


class Installation:
    """A folder and a database; `environment` is what its processes are started with."""

    def __init__(self, folder: Path, url: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.url = folder, url
        kept = {name: value for name, value in os.environ.items() if not name.startswith("VARIORUM_")}
        self.environment = kept | {
            "VARIORUM_DATA_DIR": str(folder),
            "VARIORUM_SECRET_KEY": secrets.token_urlsafe(50),
            "DJANGO_SETTINGS_MODULE": "variorum.settings",
            **({SERVER: url} if url else {}),
        }

    def command(self, *words: object) -> list[str]:
        return [sys.executable, *map(str, words)]

    def run(self, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run Python with these words, and return what it said."""
        done = subprocess.run(
            self.command(*words),
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        assert not check or done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
        return done

    def manage(self, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py`."""
        return self.run("manage.py", *words, check=check)

    def script(self, lines: str, *words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run lines of Python in it, with Django set up."""
        return self.run("-c", READY + lines, *words, check=check)

    def told(self, lines: str, *words: object) -> Any:
        """Run such lines, and return what they print last, as JSON."""
        return json.loads(self.script(lines, *words).stdout.strip().splitlines()[-1])

    @contextmanager
    def started(self, *words: object, **more: Any) -> Iterator[subprocess.Popen[str]]:
        """Run Python beside the test; killed at the end."""
        process = subprocess.Popen(self.command(*words), cwd=ROOT, env=self.environment, text=True, **more)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def idle() -> bool:
    """Return whether this machine does little else: only then a case holds seconds against its limits."""
    return os.getloadavg()[1] < (os.cpu_count() or 1)


@contextmanager
def new_database(vendor: str) -> Iterator[str]:
    """The address of a new, empty database; empty for SQLite's, which needs none."""
    if vendor == "sqlite":
        yield ""
        return
    server = os.environ.get(SERVER)
    if not server:
        pytest.skip("needs PostgreSQL (make cases)")
    name = f"case_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def migrated_file() -> Path:
    """A migrated file of SQLite, made once a process: migrating takes longer than what is tried."""
    kept = tempfile.TemporaryDirectory(prefix="variorum-cases-")
    atexit.register(kept.cleanup)
    Installation(Path(kept.name)).manage("migrate", "--verbosity", "0")
    return Path(kept.name) / "variorum.sqlite3"


@contextmanager
def installation(folder: Path, vendor: str = HERE, *, migrated: bool = True) -> Iterator[Installation]:
    """An empty installation on a database of this kind."""
    with new_database(vendor) as url:
        made = Installation(folder, url)
        if migrated and vendor == "sqlite":
            with (
                closing(sqlite3.connect(migrated_file())) as old,
                closing(sqlite3.connect(folder / "variorum.sqlite3")) as new,
            ):
                old.backup(new)
        elif migrated:
            made.manage("migrate", "--verbosity", "0")
        yield made


FILLED = """
import uuid
from django.utils import timezone
from annotation.models import Event, Judgment
from annotation.people import withdrawal
from annotation.record import sealing
study = builders.study(items=int(sys.argv[1]), overlap=2)
ada, ben = builders.person("Ada"), builders.person("Ben")
ada.set_password("a lamp before dawn"); ada.save()
readers = [builders.enrolment(study, who) for who in (ada, ben)]
gone = builders.enrolment(builders.study("other", items=3, overlap=1), builders.person("Eve"))
def said(place, reader):
    Judgment.objects.create(
        assignment=place, annotator=reader, outcome="answer", answer={"option": 1}, order=[2, 0, 1],
        note="Ἕλληνες \\u2028 😀", active_seconds=0.1 + 0.2, submission=uuid.uuid4(), channel="web",
        created=timezone.now(), consent_version=None,
    )
    place.annotator, place.status = reader, "done"
    place.save()
with transaction.atomic():
    for place in study.assignments.all():
        said(place, readers[place.slot - 1])
    for place in gone.study.assignments.all():
        said(place, gone)
sealing.seal()
withdrawal.erase(gone, now=timezone.now(), drop=True)
Event.objects.create(study=study, actor=ada, verb="later", data={"n": [1, None, 1.5, 1e16]})
sealing.seal()
"""
"""A study of so many items, read by two, and one whose reader withdrew with all she said."""

COUNTED = """
import hashlib
from annotation.models import Judgment
rows = Judgment.objects.order_by("pk").values_list(
    "pk", "assignment_id", "annotator_id", "revision", "outcome", "answer", "note", "submission", "created",
    "active_seconds", "channel",
)
print(json.dumps([len(rows), hashlib.sha256(repr(list(rows)).encode()).hexdigest()]))
"""
"""Prints how many judgments there are, and a digest of all of them."""

GUARDED = """
from django.db import DatabaseError
tries = ["UPDATE annotation_judgment SET note = 'x'", "DELETE FROM annotation_judgment",
         "DELETE FROM annotation_event", "UPDATE annotation_event SET verb = 'x'",
         "DELETE FROM annotation_seal"]
if connection.vendor == "sqlite":
    tries.append("INSERT OR REPLACE INTO annotation_event SELECT * FROM annotation_event LIMIT 1")
else:
    tries.append("TRUNCATE annotation_judgment CASCADE")
refused = 0
for each in tries:
    try:
        with transaction.atomic():
            connection.cursor().execute(each)
    except DatabaseError as error:
        assert "append-only" in str(error), (each, error)
        refused += 1
print(json.dumps([refused, len(tries)]))
"""
"""Tries what nobody may do to the record; prints how much was refused, and of how much."""

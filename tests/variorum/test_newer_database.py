"""O02: older code says that the database is newer, and neither serves nor writes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

import manage
from variorum import data_directory, diagnosis
from variorum.server import newer_database

ROOT = Path(__file__).resolve().parents[2]
LATER = "9999_of_a_later_version"


@pytest.fixture
def newer(db):
    MigrationRecorder(connection).record_applied("annotation", LATER)


@pytest.mark.django_db
def test_O02_the_code_that_made_the_tables_may_use_them():
    assert newer_database.unknown_migrations() == []
    assert newer_database.refusal() == ""
    newer_database.refuse()


def test_O02_a_later_migration_is_named_in_a_sentence(newer):
    assert newer_database.unknown_migrations() == [f"annotation.{LATER}"]
    said = newer_database.refusal()
    assert f"the migration annotation.{LATER}, which this version does not know" in said
    assert "Nothing is served and nothing is written" in said


def test_O02_many_are_counted(newer):
    MigrationRecorder(connection).record_applied("retrieval", LATER)
    assert f"annotation.{LATER} and 1 more" in newer_database.refusal()


@pytest.mark.django_db
def test_what_an_application_left_behind_that_is_gone_is_no_reason():
    MigrationRecorder(connection).record_applied("an_application_of_before", LATER)
    assert newer_database.refusal() == ""


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_left_to_say_so_itself(monkeypatch):
    def away():
        raise DatabaseError

    monkeypatch.setattr(newer_database, "unknown_migrations", away)
    assert newer_database.refusal() == ""


def test_the_doctor_finds_it(newer):
    found = diagnosis.migrations()
    assert found.ok is False
    assert LATER in found.detail


@pytest.mark.parametrize("command", ["migrate", "serve", "import_items", "report", "loaddata"])
def test_O02_a_command_is_refused_before_it_begins(newer, monkeypatch, command):
    monkeypatch.setattr(sys, "argv", ["manage.py", command])
    with pytest.raises(SystemExit, match=LATER):
        manage.refuse_newer_database()


@pytest.mark.parametrize("words", [["doctor"], ["check"], [], ["--version"], ["migrate", "--help"]])
def test_what_asks_no_table_is_not_refused(newer, monkeypatch, words):
    monkeypatch.setattr(sys, "argv", ["manage.py", *words])
    manage.refuse_newer_database()


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program on a database of SQLite that has had a later migration, and nothing else."""
    file = sqlite3.connect(folder / data_directory.DATABASE)
    file.execute("CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT)")
    file.execute("INSERT INTO django_migrations VALUES (1, 'annotation', ?, '2031-01-01 00:00:00')", [LATER])
    file.commit()
    file.close()
    ours = {key: value for key, value in os.environ.items() if not key.startswith("VARIORUM_")}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**ours, "VARIORUM_DATA_DIR": str(folder)},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def test_O02_the_command_line_says_it_without_a_traceback(tmp_path):
    told = run(tmp_path, "manage.py", "migrate")
    assert (told.returncode, told.stdout) == (1, "")
    assert LATER in told.stderr
    assert "Traceback" not in told.stderr


WEB = ["-m", "gunicorn", "variorum.wsgi", "--config", "python:variorum.gunicorn_hooks", "-b", "127.0.0.1:0"]
WORKER = ["-m", "celery", "--quiet", "-A", "variorum", "worker", "-P", "solo"]
SERVE = ["manage.py", "serve", "--port", "0"]


@pytest.mark.services
@pytest.mark.parametrize("command", [WEB, WORKER, SERVE], ids=["web", "worker", "serve"])
def test_O02_nothing_is_served(tmp_path, command):
    told = run(tmp_path, *command)
    assert told.returncode in {1, newer_database.CANNOT_BEGIN}
    assert LATER in told.stderr
    assert "Traceback" not in told.stderr

"""Who writes to a file of SQLite holds the turn from the first moment to the last, whatever the end."""

from __future__ import annotations

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, OperationalError
from django.db.utils import ConnectionHandler

from variorum import env
from variorum.sqlite import base
from variorum.sqlite.turn import Turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    return tmp_path / "variorum.sqlite3"


@pytest.fixture
def database(file):
    made = opened(file)
    made.cursor().execute("CREATE TABLE word (said TEXT UNIQUE)")
    yield made
    made.close()


def opened(file):
    return ConnectionHandler({"default": env.sqlite(file)})["default"]


def begin(database):
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    database.in_atomic_block = True


def end(database):
    database.in_atomic_block = False
    database.set_autocommit(True)


def is_free(file) -> bool:
    turn = os.open(f"{file}-turn", os.O_RDWR)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(turn)
    return True


@pytest.mark.parametrize("how", ["commit", "rollback"])
def test_a_transaction_holds_the_turn_to_its_end(database, file, how):
    assert is_free(file)
    begin(database)
    database.cursor().execute("INSERT INTO word VALUES ('tide')")
    assert not is_free(file)
    database.in_atomic_block = False
    getattr(database, how)()
    assert is_free(file)


def test_a_connection_that_is_closed_gives_the_turn_back(database, file):
    begin(database)
    assert not is_free(file)
    database.in_atomic_block = False
    database.close()
    assert is_free(file)


def test_a_transaction_that_cannot_begin_gives_the_turn_back(database, file):
    other = opened(file)
    begin(other)
    # SQLite's own lock still stands, and guards the data from whoever takes no turn.
    other.turn.give_back()
    database.cursor().execute("PRAGMA busy_timeout = 1")
    with pytest.raises(OperationalError, match="locked"):
        begin(database)
    assert is_free(file)
    other.in_atomic_block = False
    other.close()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(base, "TURN_SECONDS", 0.05)


def test_R08_who_waits_too_long_for_a_turn_is_told_and_may_come_again(database, file, impatient):
    other = opened(file)
    begin(other)
    for _ in range(2):
        with pytest.raises(OperationalError, match="locked: others have been writing"):
            begin(database)
        with pytest.raises(OperationalError, match="locked"):
            database.cursor().execute("INSERT INTO word VALUES ('tide')")
    other.in_atomic_block = False
    other.rollback()
    other.close()
    assert comes_free(file)
    begin(database)
    assert not is_free(file)
    database.in_atomic_block = False
    database.rollback()
    assert is_free(file)


def test_R08_who_gave_up_does_not_keep_the_turn_when_it_comes(file, impatient):
    one, other = Turn(f"{file}-turn"), Turn(f"{file}-turn")
    assert one.take(0)
    assert not other.take(0.01)
    one.give_back()
    assert comes_free(file)
    # A turn that is taken now is not given back by who waited before.
    assert other.take(0)
    assert not one.take(0.05)
    other.close()
    assert one.take(5)


def test_the_turn_and_sqlite_itself_are_waited_for_half_a_minute(file):
    assert base.TURN_SECONDS + env.sqlite(file)["OPTIONS"]["timeout"] == 30


def comes_free(file) -> bool:
    """Whether the turn is free once those have passed it on who gave up waiting for it."""
    turn = Turn(f"{file}-turn")
    try:
        return turn.take(5)
    finally:
        turn.close()


def test_a_statement_outside_a_transaction_takes_its_turn(database, file):
    seen = []
    with database.execute_wrapper(lambda run, *asked: (seen.append(is_free(file)), run(*asked))[1]):
        database.cursor().execute("INSERT INTO word VALUES ('tide')")
        database.cursor().execute("SELECT said FROM word")
    assert seen == [False, True]
    with pytest.raises(IntegrityError):
        database.cursor().execute("INSERT INTO word VALUES ('tide')")
    assert is_free(file)


def test_many_writers_in_one_process_wait_for_each_other(database, file):
    def write(name):
        own = opened(file)
        for number in range(20):
            begin(own)
            own.cursor().execute("INSERT INTO word VALUES (%s)", [f"{name}{number}"])
            own.in_atomic_block = False
            own.commit()
            end(own)
        own.close()

    with ThreadPoolExecutor(6) as writers:
        list(writers.map(write, "abcdef"))
    assert database.cursor().execute("SELECT COUNT(*) FROM word").fetchone() == (120,)

"""Connections to PostgreSQL are looked at without asking, and statements that come again are prepared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import DataError, IntegrityError, OperationalError, connection, connections, transaction
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.test.utils import CaptureQueriesContext

from annotation.models import Study
from common.composed import Composed, Given, together
from tests import builders

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="it is about PostgreSQL"),
]


@pytest.fixture
def other():
    """A connection of its own, as a thread of the site has."""
    made = connection.copy(alias="default")
    made.ensure_connection()
    made.health_check_enabled, made.health_check_done = True, False
    yield made
    made.close()


def test_R09_a_connection_is_looked_at_without_a_query_and_a_dead_one_is_seen(other):
    with CaptureQueriesContext(other) as queries:
        other.close_if_health_check_failed()
    assert other.connection is not None
    assert not queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [other.connection.info.backend_pid])
    assert not other.is_usable()


def test_R09_a_dead_connection_is_made_anew_by_the_first_statement_of_a_request_of_either_kind(other):
    for make in (other.prepared_cursor, other.cursor):
        other.health_check_done = False
        before = other.connection.info.backend_pid
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [before])
        with make() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            assert cursor.fetchone()[0] != before


def test_a_statement_that_comes_again_is_prepared_and_shown_with_its_values():
    study, asked = builders.study(items=1), Composed(lambda: Study.objects.filter(pk=Given("pk")))
    with CaptureQueriesContext(connection) as queries:
        assert [asked.first(pk=study.pk) for _ in range(3)] == [study] * 3
    assert {each["sql"] for each in queries} == {str(queries[0]["sql"])}
    assert f'"id" = ({study.pk})' in queries[0]["sql"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ['%"slug"%'])
        assert cursor.fetchone()[0] >= 1


def test_a_statement_is_prepared_and_planned_the_first_time_and_never_again(other):
    """PostgreSQL counts plans that were made for the values of one question apart from those for all."""
    with other.prepared_cursor() as cursor:
        for number in range(8):
            cursor.execute("SELECT slug FROM annotation_study WHERE id = %s", [number])
    with other.cursor() as cursor:
        cursor.execute(
            "SELECT custom_plans, generic_plans FROM pg_prepared_statements"
            " WHERE statement LIKE 'SELECT slug%'"
        )
        assert cursor.fetchall() == [(0, 8)]


def test_questions_asked_together_are_answered_in_their_order():
    one, two = (builders.study(items=1, slug=name) for name in ("one", "two"))
    asked = Composed(lambda: Study.objects.filter(pk=Given("pk")))
    assert together(asked.asked(pk=two.pk), asked.asked(pk=one.pk)) == [[two], [one]]


SEEN = "SELECT state, query, xact_start IS NULL FROM pg_stat_get_activity(%s)"


def seen(pid):
    """What the server is doing, or did last, for another connection; whether without a transaction."""
    with connection.cursor() as cursor:
        # Within a transaction it tells what it told before.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(SEEN, [pid])
        return cursor.fetchone()


def test_questions_asked_together_leave_in_one_piece_and_the_beginning_with_them(other):
    """What the server has heard of a connection is seen by another one."""
    pid = other.connection.info.backend_pid
    with other.prepared_cursor() as one, other.prepared_cursor() as two:
        one.execute("SELECT 'before'")
        other.set_autocommit(False)
        with other.pipelined():
            one.execute("SELECT %s::int", [1])
            two.execute("SELECT %s::int + 1", [1])
            assert seen(pid) == ("idle", "SELECT 'before'", True)
        assert (one.fetchall(), two.fetchall()) == ([(1,)], [(2,)])
        assert seen(pid) == ("idle in transaction", "SELECT $1::int + 1", False)
        other.rollback()


def test_a_question_that_fails_is_told_and_the_connection_goes_on(other):
    other.set_autocommit(False)
    with other.prepared_cursor() as one, other.prepared_cursor() as two, other.prepared_cursor() as three:
        with pytest.raises(DataError, match="division by zero"), other.pipelined():  # noqa: PT012 - its end
            one.execute("SELECT 1")
            two.execute("SELECT 1 / %s::int", [0])
            three.execute("SELECT 3")
        other.rollback()
        with other.pipelined():
            one.execute("SELECT 1")
            two.execute("SELECT 1 / %s::int", [1])
        assert (one.fetchall(), two.fetchall()) == ([(1,)], [(1,)])
        other.rollback()


def test_an_error_in_the_block_leaves_nothing_in_the_way(other):
    with other.prepared_cursor() as one, other.prepared_cursor() as two:
        with pytest.raises(ZeroDivisionError), other.pipelined():  # noqa: PT012 - in the middle
            one.execute("SELECT 1")
            one.execute("SELECT %s", [1 // 0])
        two.execute("SELECT 2")
        assert two.fetchall() == [(2,)]


def test_what_is_larger_than_any_buffer_goes_both_ways(other):
    """Neither waits for the other to read: both sides send megabytes at a time."""
    large = "a lamp before dawn " * 300_000
    with other.prepared_cursor() as one, other.prepared_cursor() as two:
        with other.pipelined():
            one.execute("SELECT %s::text", [large])
            two.execute("SELECT %s::text", [large[1:]])
        assert (one.fetchall(), two.fetchall()) == ([(large,)], [(large[1:],)])


@pytest.fixture
def elsewhere(db):
    """A connection of its own in a transaction of its own, with a table that is gone afterwards."""
    made = connection.copy(alias="elsewhere")
    connections["elsewhere"] = made
    try:
        with made.cursor() as cursor:
            cursor.execute("CREATE TEMPORARY TABLE lamp (id int PRIMARY KEY, oil int CHECK (oil >= 0))")
            cursor.execute("INSERT INTO lamp VALUES (1, 10), (2, 20)")
        yield made
    finally:
        made.close()
        del connections["elsewhere"]


BURN = "UPDATE lamp SET oil = oil - %s WHERE id = %s"


def oil(other):
    with other.cursor() as cursor:
        cursor.execute("SELECT oil FROM lamp ORDER BY id")
        return [each for (each,) in cursor.fetchall()]


def test_a_change_leaves_with_the_commit(elsewhere):
    told, pid = [], elsewhere.connection.info.backend_pid
    with CaptureQueriesContext(elsewhere) as queries, transaction.atomic("elsewhere"):
        with elsewhere.prepared_cursor() as cursor:
            cursor.execute("SELECT 'before'")
        elsewhere.execute_with_commit(BURN, [3, 1], told.append)
        elsewhere.execute_with_commit(BURN, [4, 2], told.append)
        assert (seen(pid), told) == (("idle in transaction", "SELECT 'before'", False), [])
    assert seen(pid) == ("idle", "COMMIT", True)
    assert (told, oil(elsewhere)) == ([1, 1], [7, 16])
    assert [each["sql"].split()[0] for each in queries] == ["BEGIN", "SELECT", "UPDATE", "UPDATE", "COMMIT"]


def test_a_change_is_made_before_whatever_is_asked_next(elsewhere):
    with transaction.atomic("elsewhere"):
        elsewhere.execute_with_commit(BURN, [3, 1], bool)
        assert oil(elsewhere) == [7, 20]
        elsewhere.execute_with_commit(BURN, [3, 1], bool)
        with elsewhere.prepared_cursor() as cursor:
            cursor.execute("SELECT oil FROM lamp WHERE id = %s", [1])
            assert cursor.fetchall() == [(4,)]
    with pytest.raises(transaction.TransactionManagementError, match="No COMMIT"):
        elsewhere.execute_with_commit(BURN, [3, 1], bool)


def test_a_change_that_fails_at_the_commit_rolls_all_back_and_the_connection_goes_on(elsewhere):
    told = []
    with pytest.raises(IntegrityError), transaction.atomic("elsewhere"):  # noqa: PT012 - at its end
        with elsewhere.cursor() as cursor:
            cursor.execute(BURN, [1, 2])
        elsewhere.execute_with_commit(BURN, [1, 2], told.append)
        elsewhere.execute_with_commit(BURN, [11, 1], told.append)
    assert (told, oil(elsewhere)) == ([], [10, 20])
    with transaction.atomic("elsewhere"):
        elsewhere.execute_with_commit(BURN, [1, 1], told.append)
    assert (told, oil(elsewhere)) == ([1], [9, 20])


def test_a_change_that_fails_in_a_savepoint_takes_that_along_only(elsewhere):
    with transaction.atomic("elsewhere"):
        elsewhere.execute_with_commit(BURN, [1, 1], bool)
        with pytest.raises(IntegrityError), transaction.atomic("elsewhere"):
            elsewhere.execute_with_commit(BURN, [50, 2], bool)
        elsewhere.execute_with_commit(BURN, [1, 1], bool)
    assert oil(elsewhere) == [8, 20]


def no_lamp(rows):
    raise RuntimeError(rows)


def test_who_is_told_too_late_keeps_no_other_from_being_told(elsewhere):
    """What hangs on the transaction is done: it was committed."""
    done = []
    with pytest.raises(RuntimeError, match="0"), transaction.atomic("elsewhere"):  # noqa: PT012 - at its end
        elsewhere.execute_with_commit(BURN, [1, 3], no_lamp)
        transaction.on_commit(lambda: done.append(True), using="elsewhere")
    assert done == [True]
    with pytest.raises(RuntimeError, match="0"), transaction.atomic("elsewhere"):  # noqa: PT012 - in the middle
        elsewhere.execute_with_commit(BURN, [1, 2], bool)
        elsewhere.execute_with_commit(BURN, [1, 3], no_lamp)
        oil(elsewhere)
    assert oil(elsewhere) == [10, 20]


def test_a_change_goes_with_what_is_rolled_back(elsewhere):
    with pytest.raises(ZeroDivisionError), transaction.atomic("elsewhere"):  # noqa: PT012 - one after the other
        elsewhere.execute_with_commit(BURN, [1, 1], bool)
        with pytest.raises(DataError), transaction.atomic("elsewhere"), elsewhere.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        with pytest.raises(DataError), transaction.atomic("elsewhere"), elsewhere.cursor() as cursor:  # noqa: PT012
            elsewhere.execute_with_commit(BURN, [2, 2], bool)
            cursor.execute("SELECT 1 / 0")
        assert oil(elsewhere) == [9, 20]
        elsewhere.execute_with_commit(BURN, [3, 2], bool)
        raise ZeroDivisionError
    with transaction.atomic("elsewhere"):
        assert oil(elsewhere) == [10, 20]


def test_a_change_is_forgotten_with_its_connection(elsewhere):
    with pytest.raises(OperationalError), transaction.atomic("elsewhere"):  # noqa: PT012 - at its end
        elsewhere.execute_with_commit(BURN, [3, 1], bool)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [elsewhere.connection.info.backend_pid])
    assert not elsewhere._waiting


def test_a_cursor_of_the_server_reads_times_too():
    builders.study(items=1)
    Study.objects.update(opened=datetime(2026, 7, 1, 12, tzinfo=UTC))
    with transaction.atomic():
        assert [each.opened.hour for each in Study.objects.iterator(chunk_size=1)] == [12]


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=UTC),
        datetime(1849, 1, 1, tzinfo=UTC),
        datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    ],
)
def test_times_are_read_as_they_were_stored_without_a_call_of_python(moment, monkeypatch):
    study = builders.study(items=1)
    Study.objects.filter(pk=study.pk).update(opened=moment)

    def never(*_args):
        raise AssertionError("Django's loader was called")

    monkeypatch.setattr(BaseTzLoader, "load", never)
    (asked,) = Composed(lambda: Study.objects.filter(pk=Given("pk")))(pk=study.pk)
    assert (asked.opened, asked.opened.tzinfo) == (moment, UTC)

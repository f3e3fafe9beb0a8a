"""Connections to PostgreSQL are looked at without asking, and statements that come again are prepared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import DataError, connection, transaction
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


def test_a_statement_that_comes_again_is_prepared_and_shown_with_its_values():
    study, asked = builders.study(items=1), Composed(lambda: Study.objects.filter(pk=Given("pk")))
    with CaptureQueriesContext(connection) as queries:
        assert [asked.first(pk=study.pk) for _ in range(3)] == [study] * 3
    assert {each["sql"] for each in queries} == {str(queries[0]["sql"])}
    assert f'"id" = ({study.pk})' in queries[0]["sql"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ['%"slug"%'])
        assert cursor.fetchone()[0] >= 1


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

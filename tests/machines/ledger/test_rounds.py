"""What a round costs the database, and that its statements write what Django would."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from common.chat import USER, Message, Reply, Request
from machines.client.endpoint import Endpoint, Prices
from machines.endpoints import scripted
from machines.ledger import Asking, reserving, rows, sweep
from machines.models import Budget, Call, EndpointState, State

pytestmark = pytest.mark.django_db

ONE = Endpoint("toy", kind="scripted", concurrency=1, prices=Prices(prompt=1_000_000, completion=2_000_000))


@pytest.fixture(autouse=True)
def toy():
    scripted.register(ONE, lambda request: Reply(text="yes", prompt_tokens=10, completion_tokens=5))


def asked(count):
    return [Request((Message(USER, str(n)),)) for n in range(count)]


def call(key, state=State.SENT, seconds=60, **more):
    lease = timezone.now() + timedelta(seconds=seconds)
    return Call.objects.create(
        key=key, state=state, endpoint="toy", prompt_sha256="", lease_until=lease, **more
    )


def test_a_reply_and_the_next_question_are_one_transaction_of_few_statements():
    budget = Budget.objects.create(limit=10**9)
    Asking(ONE, budget=budget)(asked(1))
    with CaptureQueriesContext(
        connection,
    ) as seen:
        Asking(ONE, budget=budget)([Request((Message(USER, f"more {n}"),)) for n in range(20)])
    begun = [each["sql"] for each in seen if each["sql"].startswith("SAVEPOINT")]
    assert len(begun) <= 22  # 20 answers and the first questions, and the endpoint's row looked for
    assert len(seen) <= 20 * 10 + 20


def test_the_count_of_what_is_in_flight_reads_no_call_that_has_ended():
    for n, state in enumerate([State.SENT, State.INTENT, State.ANSWERED, State.UNKNOWN]):
        call(str(n), state)
    call("lapsed", seconds=-1)
    assert rows.in_flight("toy") == 1
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN QUERY PLAN " + rows._in_flight("sqlite"), ["toy"])
            assert "call_pending" in cursor.fetchone()[3]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="the plan is SQLite's")
def test_a_sweep_reads_no_call_that_has_ended():
    """Its statements are explained with their parameters bound, as they are sent."""
    lapsed = call("lapsed", seconds=-1)
    asked_of_calls = []

    def keep(execute, sql, params, many, context):
        if f'"{rows.TABLE}"' in sql and "lease_until" in sql.partition("WHERE")[2] and sql.startswith("SEL"):
            asked_of_calls.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        assert sweep("toy") == 1
    lapsed.refresh_from_db()
    assert lapsed.state == State.UNKNOWN
    assert len(asked_of_calls) == 3  # too far ahead? lapsed? which?
    with connection.cursor() as cursor:
        for sql, params in asked_of_calls:
            cursor.execute("EXPLAIN QUERY PLAN " + sql, params)
            assert "call_pending" in cursor.fetchone()[3], sql


def test_a_row_that_was_swept_away_is_told_and_the_others_are_answered():
    mine, swept = call("a"), call("b", State.UNKNOWN)
    ends = [{"state": State.ANSWERED, "text": "yes", "id": each.pk} for each in (mine, swept)]
    assert rows.answer(ends[:1]) == set()
    assert rows.answer(ends) == {swept.pk}
    mine.refresh_from_db()
    swept.refresh_from_db()
    assert (mine.state, mine.text, mine.lease_until) == (State.ANSWERED, "yes", None)
    assert (swept.state, swept.text) == (State.UNKNOWN, "")


def test_rows_are_inserted_as_django_would():
    budget = Budget.objects.create()
    like = Call(state=State.SENT, endpoint="toy", purpose="p", budget=budget, probed=timezone.now())
    own = [
        {"key": f"k{n}", "prompt_sha256": "s", "seed": -(2**40), "parameters": {"größe": [n]}}
        for n in range(rows.AT_ONCE + 1)
    ]
    found = rows.insert(like, own, 60.0)
    assert list(found) == [each["key"] for each in own]
    theirs = Call.objects.create(
        state=State.SENT,
        endpoint="toy",
        purpose="p",
        budget=budget,
        probed=like.probed,
        **own[0] | {"key": "x"},
    )
    ours, theirs = (Call.objects.filter(pk=pk).values().get() for pk in (found["k0"], theirs.pk))
    differ = {name for name in ours if ours[name] != theirs[name]}
    assert differ == {"id", "key", "created", "sent", "lease_until"}
    assert abs(ours["created"] - theirs["created"]) < timedelta(seconds=5)
    assert ours["lease_until"] - ours["sent"] == timedelta(seconds=60)


def test_what_came_back_is_kept_where_the_next_cannot_be_begun(monkeypatch):
    begin, calls = reserving.begin, []

    def once(*given):
        calls.append(1)
        if len(calls) > 2:
            raise RuntimeError("no more")
        return begin(*given)

    monkeypatch.setattr(reserving, "begin", once)
    budget = Budget.objects.create(limit=10**9)
    with pytest.raises(RuntimeError):
        Asking(ONE, budget=budget)(asked(5))
    budget.refresh_from_db()
    assert [row.state for row in Call.objects.all()] == [State.ANSWERED] * 2
    assert (budget.calls, budget.spent, budget.reserved) == (2, 40, 0)


def test_a_good_call_changes_nothing_of_an_endpoint_that_is_well():
    Asking(ONE)(asked(1))
    with CaptureQueriesContext(connection) as seen:
        Asking(ONE)(asked(3))
    changed = [
        each["sql"] for each in seen if each["sql"].startswith(f'UPDATE "{EndpointState._meta.db_table}')
    ]
    assert changed == []

"""The ledger in bad weather: what is charged, what is tried again, and when it ends."""

import logging
import random
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.utils import DatabaseError
from django.forms.models import model_to_dict
from django.utils import timezone

from common.chat import USER, Message, Request
from machines.client.endpoint import Prices
from machines.ledger import Asking, Stopped, estimate, sweep
from machines.ledger.limits.clock import Epoch
from machines.models import Budget, Call, EndpointState, State
from tests.machines import weather
from tests.machines.weather import server

pytestmark = pytest.mark.django_db

PRICES = Prices(prompt=1_000_000, completion=1_000_000)
ACTUAL = 26
"""What the server's usual answer costs by these prices."""
SECRET = "sk-nobody-must-read-this"


class AtOnce(random.Random):
    """No waiting between attempts."""

    def uniform(self, a, b):
        return 0.0


@pytest.fixture
def budget():
    return Budget.objects.create(limit=10**9)


def asked(*texts):
    return [Request((Message(USER, text),)) for text in texts]


def ask(one, budget, *texts, limits=None, **more):
    """Ask one after the other, and return what came, the asking, and the budget as it is then."""
    endpoint = one.endpoint(prices=PRICES, **{"concurrency": 1, **(limits or {})})
    asking = Asking(endpoint, budget=budget, chance=AtOnce(), **more)
    replies = asking(asked(*texts or ("a",)))
    budget.refresh_from_db()
    return replies, asking


def states():
    return list(Call.objects.order_by("pk").values_list("state", flat=True))


def reserved(one, *texts):
    return estimate(one.endpoint(prices=PRICES), asked(*texts or ("a",))).micro_units


def test_a_failing_endpoint_is_asked_again_in_the_same_row(budget):
    with server(weather.error(500), weather.error(503), weather.fair()) as one:
        (reply,), _ = ask(one, budget)
    row = Call.objects.get()
    assert (reply.call, row.state, row.attempt, row.price) == (row.pk, State.ANSWERED, 3, ACTUAL)
    assert (budget.spent, budget.reserved, budget.calls) == (ACTUAL, 0, 1)


def test_it_is_given_up_after_five_attempts_and_costs_nothing(budget):
    with server(weather.error(500)) as one:
        (reply,), asking = ask(one, budget, patience=1000)
        sent = len(one.seen)
    assert (reply, sent, states()) == (None, 5, [State.FAILED])
    assert "said 500: wrong" in asking.problems[0]
    assert (budget.spent, budget.reserved, budget.calls) == (0, 0, 0)


def test_being_told_to_come_back_is_no_attempt(budget):
    busy = weather.error(429, "slow", "Retry-After: 0")
    with server(*[busy] * 8, weather.fair()) as one:
        (reply,), _ = ask(one, budget)
    row = Call.objects.get()
    assert (reply.text, row.attempt, row.state) == ('{"grade": 3}', 1, State.ANSWERED)


def test_an_hour_of_429_ends_the_round_says_when_and_gives_the_reservation_back(budget):
    with server(weather.error(429, "slow", "Retry-After: 3600")) as one, pytest.raises(Stopped) as stopped:
        ask(one, budget, "a", "b")
    assert len(one.seen) == 1
    assert 3590 < stopped.value.retry_after <= 3600
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent, states()) == (0, 0, [State.FAILED])
    with server() as one, pytest.raises(Stopped) as stopped:
        ask(one, budget, "c")  # another worker, or the same one later
    assert (one.seen, stopped.value.retry_after > 3500) == ([], True)


@pytest.mark.parametrize(
    "way",
    [weather.close, weather.http(200, b"<html>"), weather.cut(weather.fair())],
    ids=["closed", "HTML", "cut"],
)
def test_what_broke_off_is_charged_as_reserved_and_sent_again_once(budget, way):
    with server(way, weather.fair()) as one:
        (reply,), _ = ask(one, budget)
        once = reserved(one, "b")
    assert (reply.text, states()) == ('{"grade": 3}', [State.UNKNOWN, State.ANSWERED])
    assert (budget.spent, budget.reserved, budget.calls) == (once + ACTUAL, 0, 2)


def test_what_breaks_off_twice_is_never_sent_again(budget):
    with server(weather.close) as one:
        (reply,), asking = ask(one, budget, purpose="reading 1")
        again, _ = ask(one, budget, purpose="reading 1")
        sent = len(one.seen)
    assert (reply, again, sent) == (None, [None], 2)
    assert states() == [State.UNKNOWN, State.UNKNOWN]
    assert budget.spent == 2 * reserved(one, "b")
    assert "broke off" in asking.problems[0]


def test_a_key_that_is_not_accepted_ends_it_and_only_its_variable_is_named(
    budget, settings, caplog, monkeypatch
):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("DOOR_TEST_KEY", SECRET)
    with server(weather.error(401, f"Incorrect key {SECRET}")) as one, pytest.raises(Stopped) as stopped:
        ask(one, budget, "a", "b", limits={"key_variable": "DOOR_TEST_KEY"})
    assert f"Bearer {SECRET}" in one.seen[0][0]
    assert "DOOR_TEST_KEY" in stopped.value.reason
    rows = [model_to_dict(row) for row in Call.objects.all()]
    assert (len(rows), len(one.seen)) == (1, 1)
    written = f"{rows} {stopped.value!r} {stopped.value.__dict__} {caplog.text} {one.endpoint()!r}"
    assert SECRET not in written
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent) == (0, 0)


def test_five_equal_refusals_end_it(budget):
    with server(weather.error(400, "no such field")) as one, pytest.raises(Stopped, match="no such field"):
        ask(one, budget, *"abcdefgh")
    assert (len(one.seen), set(states())) == (5, {State.REFUSED})


def test_what_is_too_long_ends_nothing(budget):
    long = weather.error(400, "maximum context length is 4096 tokens")
    with server(*[long] * 6, weather.fair()) as one:
        replies, asking = ask(one, budget, *"abcdefg")
    assert [bool(reply) for reply in replies] == [False] * 6 + [True]
    assert "context length" in asking.problems[0]


def test_what_cannot_fit_is_not_sent_and_what_was_cut_is_no_answer(budget):
    with server(weather.fair(usage={"prompt_tokens": 3017, "completion_tokens": 8})) as one:
        limits = {"context": 2048}
        replies, asking = ask(one, budget, "x" * 40_000, "short", limits=limits)
        again, _ = ask(one, budget, "short", limits=limits)
        sent = len(one.seen)
    assert (replies, again, sent) == ([None, None], [None], 1)
    assert "reads 2,048" in asking.problems[0]
    assert "3,017 tokens" in asking.problems[1]
    assert states() == [State.UNREADABLE]


def test_five_failures_in_a_row_open_the_circuit_for_all(budget):
    with server(weather.close) as one:
        with pytest.raises(Stopped, match="left alone") as stopped:
            ask(one, budget, *"abcdef", patience=5)
        assert len(one.seen) == 5
        assert 20 < stopped.value.retry_after <= 30
        with pytest.raises(Stopped):
            ask(one, budget, "z", patience=5)
        assert len(one.seen) == 5


def test_an_open_circuit_lets_one_call_through_and_closes_after_a_good_one(budget):
    EndpointState.objects.create(name="weather", failures=5, openings=1, open_until=1.0)
    with server() as one:
        replies, _ = ask(one, budget, *"abc", limits={"concurrency": 3})
    assert all(replies)
    row = EndpointState.objects.get()
    assert (row.failures, row.openings, row.open_until, row.trial_until) == (0, 0, 0, 0)


def test_a_trial_that_fails_opens_it_for_twice_as_long(budget):
    EndpointState.objects.create(name="weather", failures=5, openings=1, open_until=1.0)
    with server(weather.close) as one, pytest.raises(Stopped) as stopped:
        ask(one, budget, *"abc", limits={"concurrency": 3}, patience=5)
    assert (len(one.seen), 50 < stopped.value.retry_after <= 60) == (1, True)


def test_a_reply_that_is_no_answer_is_marked_and_asked_again_is_free(budget):
    with server() as one:
        (reply,), asking = ask(one, budget, "a", purpose="reading 2")
        asking.unreadable(reply.call, "no grade")
        (again,), _ = ask(one, budget, "a", purpose="reading 2")
        assert (again.text, len(one.seen)) == (reply.text, 1)
    row = Call.objects.get()
    assert (row.state, row.problem, row.text) == (State.UNREADABLE, "no grade", reply.text)


def lapsed(**more):
    budget = Budget.objects.create(limit=1000, reserved=100, tokens_reserved=10, calls=1)
    Call.objects.create(
        key="k", endpoint="weather", budget=budget, prompt_sha256="", reserved=100, tokens_reserved=10,
        lease_until=timezone.now() - timedelta(seconds=1), **more,
    )  # fmt: skip
    return budget


def test_what_was_sent_by_a_worker_that_fell_silent_is_charged():
    budget = lapsed(state=State.SENT)
    assert (sweep("weather"), sweep("weather")) == (1, 0)
    budget.refresh_from_db()
    assert (budget.spent, budget.reserved, budget.tokens, budget.calls, states()) == (
        100,
        0,
        10,
        1,
        [State.UNKNOWN],
    )


def test_what_waited_for_a_worker_that_fell_silent_is_free():
    budget = lapsed(state=State.INTENT)
    assert sweep("weather") == 0
    budget.refresh_from_db()
    assert (budget.spent, budget.reserved, budget.calls, states()) == (0, 0, 0, [State.FAILED])


def test_a_live_lease_is_left_alone():
    Call.objects.create(
        key="k", endpoint="weather", prompt_sha256="", state=State.SENT,
        lease_until=timezone.now() + timedelta(seconds=60),
    )  # fmt: skip
    assert (sweep("weather"), states()) == (0, [State.SENT])


def test_whoever_stops_listening_leaves_nothing_open(budget):
    with server(slow=0.02) as one:
        endpoint = one.endpoint(concurrency=4, prices=PRICES)
        for _ in Asking(endpoint, budget=budget).each(asked(*"abcdefghijkl")):
            break
    budget.refresh_from_db()
    assert set(states()) == {State.ANSWERED}
    assert (budget.reserved, budget.spent) == (0, ACTUAL * len(states()))


def test_what_was_answered_is_never_changed(budget):
    with server() as one:
        ask(one, budget)
    row = Call.objects.get()
    for changed in (
        {"text": "x"},
        {"state": State.FAILED},
        {"problem": "x"},
        {"price": 1},
        {"state": State.SENT},
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Call.objects.filter(pk=row.pk).update(**changed)
    Call.objects.filter(pk=row.pk).update(state=State.UNREADABLE, problem="no grade")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Call.objects.filter(pk=row.pk).update(state=State.ANSWERED)
    budget.delete()
    assert Call.objects.get().budget is None


def test_of_calls_with_one_key_one_is_pending_or_answered():
    Call.objects.create(key="k", endpoint="x", prompt_sha256="", state=State.UNKNOWN)
    Call.objects.create(key="k", endpoint="x", prompt_sha256="", state=State.ANSWERED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Call.objects.create(key="k", endpoint="x", prompt_sha256="", state=State.SENT)


def test_time_is_the_databases():
    EndpointState.objects.create(name="x")
    told = EndpointState.objects.annotate(now=Epoch()).get().now
    assert abs(told - timezone.now().timestamp()) < 5

"""Asking through the ledger: a row for each call, nothing twice, nothing over the budget."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from common.chat import USER, Message, Reply, Request
from machines.client.endpoint import Endpoint, Prices
from machines.client.weather import Outcome, Weather
from machines.endpoints import scripted
from machines.ledger import Asking, Stopped, estimate, sweep
from machines.models import Budget, Call, EndpointState, State

pytestmark = pytest.mark.django_db

PRICED = Endpoint("toy", kind="scripted", prices=Prices(prompt=1_000_000, completion=2_000_000))


def asked(text, **more):
    return Request((Message(USER, text),), **more)


def echo(request):
    return Reply(text=request.messages[-1].content.upper(), prompt_tokens=10, completion_tokens=5)


class Script:
    """A scripted endpoint that counts what it is asked."""

    def __init__(self, answer=echo, endpoint=PRICED):
        self.endpoint, self.answer, self.calls = endpoint, answer, []
        scripted.register(endpoint, self)

    def __call__(self, request):
        self.calls.append(request.messages[-1].content)
        return self.answer(request)


@pytest.fixture
def toy():
    return Script()


def test_replies_come_in_the_order_of_the_requests_each_with_its_row(toy):
    replies = Asking(toy.endpoint, purpose="test")([asked("a"), asked("b"), asked("c")])
    assert [reply.text for reply in replies] == ["A", "B", "C"]
    rows = Call.objects.in_bulk([reply.call for reply in replies])
    assert [(rows[reply.call].state, rows[reply.call].text) for reply in replies] == [
        (State.ANSWERED, "A"), (State.ANSWERED, "B"), (State.ANSWERED, "C"),
    ]  # fmt: skip


def test_the_same_question_is_asked_once_and_a_second_run_is_free(toy):
    budget = Budget.objects.create(limit=1_000_000)
    first = Asking(toy.endpoint, budget=budget)([asked("a"), asked("a"), asked("b")])
    budget.refresh_from_db()
    assert (sorted(toy.calls), budget.spent, budget.reserved, budget.calls) == (["a", "b"], 40, 0, 2)
    assert Asking(toy.endpoint, budget=budget)([asked("a"), asked("a"), asked("b")]) == first
    budget.refresh_from_db()
    assert (len(toy.calls), budget.spent) == (2, 40)


def test_another_replicate_is_another_question(toy):
    Asking(toy.endpoint)([asked("a"), asked("a", replicate=1)])
    assert toy.calls == ["a", "a"]


def test_a_budget_stops_before_it_is_passed_and_keeps_what_came(toy):
    one = estimate(toy.endpoint, [asked("a")]).micro_units
    budget = Budget.objects.create(limit=one + 20)
    with pytest.raises(Stopped, match="no room for another call") as stopped:
        Asking(toy.endpoint, budget=budget)([asked("a"), asked("b"), asked("c")])
    budget.refresh_from_db()
    assert len(toy.calls) == 2
    assert (budget.reserved, budget.spent, budget.spent <= budget.limit) == (0, 40, True)
    assert [reply.text for reply in stopped.value.replies.values()] == ["A", "B"]


def test_a_limit_on_calls_is_kept(toy):
    budget = Budget.objects.create(call_limit=2)
    with pytest.raises(Stopped, match="2 calls"):
        Asking(toy.endpoint, budget=budget)([asked(each) for each in "abcdef"])
    assert len(toy.calls) == 2


def test_what_is_refused_has_no_reply_and_costs_nothing(toy):
    toy.answer = lambda request: (
        Outcome(Weather.REFUSED, problem="not allowed")
        if "b" in request.messages[0].content
        else echo(request)
    )
    budget = Budget.objects.create(limit=10**9)
    asking = Asking(toy.endpoint, budget=budget)
    assert [reply and reply.text for reply in asking([asked("a"), asked("b")])] == ["A", None]
    assert asking.problems == {1: "not allowed"}
    budget.refresh_from_db()
    assert (budget.spent, budget.reserved, budget.calls) == (20, 0, 1)


def test_a_cancelled_round_stops_and_says_so(toy):
    with pytest.raises(Stopped) as stopped:
        Asking(toy.endpoint, go_on=lambda: False)([asked("a")])
    assert (stopped.value.cancelled, toy.calls) == (True, [])


def test_estimates_count_what_is_known_already(toy):
    Asking(toy.endpoint)([asked("a")])
    told = estimate(toy.endpoint, [asked("a"), asked("bb"), asked("bb")])
    assert (told.calls, told.cached, told.completion_tokens) == (1, 2, 256)
    assert told.micro_units == told.prompt_tokens + 2 * told.completion_tokens


def test_no_row_is_left_open(toy):
    Asking(toy.endpoint)([asked(str(n)) for n in range(40)])
    assert set(Call.objects.values_list("state", flat=True)) == {State.ANSWERED}
    assert EndpointState.objects.get().failures == 0


@pytest.mark.parametrize("moment", ["request_time", "token_time", "not_before", "open_until", "trial_until"])
def test_a_clock_that_was_put_back_keeps_nobody_waiting(toy, moment):
    paced = replace(toy.endpoint, rpm=6000, tpm=6_000_000)
    scripted.register(paced, echo)
    ahead = time.time() + 365 * 86400
    EndpointState.objects.create(name=paced.name, **{"open_until": 1.0, moment: ahead})
    (reply,) = Asking(paced, patience=5.0)([asked("hello")])
    assert reply.text


def test_a_call_that_a_clock_put_back_left_in_flight_is_swept():
    ahead = timezone.now() + timedelta(days=365)
    call = Call.objects.create(key="k", endpoint="toy", state=State.SENT, reserved=7, lease_until=ahead)
    assert sweep("toy") == 1
    call.refresh_from_db()
    assert (call.state, call.price) == (State.UNKNOWN, 7)

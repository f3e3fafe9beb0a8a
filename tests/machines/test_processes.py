"""Several workers at once keep one budget, one pace, one circuit; a killed one costs what it had in flight.

Real processes: on PostgreSQL, then on a file of SQLite.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F, Sum
from django.utils import timezone

from machines.ledger import sweep
from machines.models import Budget, Call, EndpointState, State
from tests.annotation.test_R01_overlap import environment
from tests.machines import weather
from tests.machines.weather import server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.sqlite]


class Busy(weather.Server):
    """Counts how many calls are being answered at the same time, and when each came."""

    def __init__(self, *ways, **more):
        self.now, self.most, self.when = 0, 0, []
        self._count = threading.Lock()
        super().__init__(*ways, **more)

    def _answer(self, connection, way):
        with self._count:
            self.now += 1
            self.most = max(self.most, self.now)
            self.when.append(time.monotonic())
        try:
            super()._answer(connection, way)
        finally:
            with self._count:
                self.now -= 1

    def asked(self):
        return Counter(body["messages"][0]["content"] for _, body in self.seen)


class Rush:
    """Processes that ask, on one database."""

    def __init__(self, folder):
        self.where = environment(folder)
        self.folder = folder

    def start(self, **given):
        command = [sys.executable, "-m", "tests.machines.rush", json.dumps(given)]
        return subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=self.where, stdout=subprocess.PIPE, text=True
        )

    def all(self, *given):
        """What each of these says at its end; afterwards the test's own database says it, too."""
        started = [self.start(**each) for each in given]
        told = [json.loads(each.communicate(timeout=120)[0].splitlines()[-1]) for each in started]
        self.bring_back()
        return told

    def bring_back(self):
        if connection.vendor == "sqlite":
            import sqlite3

            with sqlite3.connect(self.folder / "variorum.sqlite3") as file:
                file.backup(connection.connection)
            file.close()


def test_no_number_of_workers_spends_more_than_the_budget_or_asks_faster_than_allowed(tmp_path):
    budget = Budget.objects.create(limit=10**9, call_limit=30)
    rush = Rush(tmp_path)
    busy = Busy(weather.fair(), slow=0.02)
    limits = {"concurrency": 3, "rpm": 600, "timeout": 20}
    given = {"port": busy.port, "limits": limits, "budget": budget.pk}
    told = rush.all(*(given | {"texts": [f"{n} {m}" for m in range(40)]} for n in range(4)))
    busy.stop()
    budget.refresh_from_db()
    assert (sum(each["answered"] for each in told), len(busy.seen)) == (30, 30)
    assert all("30 calls" in each["stopped"] for each in told)
    assert (budget.calls, budget.reserved, budget.spent) == (
        30,
        0,
        Call.objects.aggregate(spent=Sum("price"))["spent"],
    )
    assert busy.most <= 3
    # 600 a minute are 10 a second, and a second's worth may come early; those in flight may come together.
    spent = max(busy.when) - min(busy.when)
    assert len(busy.when) <= 10 * (spent + 1) + 1 + 3


def test_two_jobs_on_one_endpoint_keep_its_pace_together_and_none_starves(tmp_path):
    rush = Rush(tmp_path)
    busy = Busy(weather.fair(), slow=0.02)
    limits = {"concurrency": 2, "rpm": 600, "timeout": 20}
    names, n = ("one", "two"), 60
    told = rush.all(
        *(
            {"port": busy.port, "limits": limits, "texts": [f"{name} {m}" for m in range(n)], "purpose": name}
            for name in names
        )
    )
    busy.stop()
    assert [each["answered"] for each in told] == [n, n]
    assert busy.most <= 2
    # 600 a minute are 10 a second, and a second's worth may come early.
    assert len(busy.when) <= 10 * (max(busy.when) - min(busy.when) + 1) + 1 + 2
    asked = [body["messages"][0]["content"].split()[0] for _, body in busy.seen]
    begun = max(asked.index(name) for name in names)
    ended = min(len(asked) - asked[::-1].index(name) for name in names)
    both = asked[begun:ended]
    assert len(both) >= 20
    assert min(both.count(name) for name in names) >= len(both) / 5


def test_what_two_workers_want_is_asked_once(tmp_path):
    rush = Rush(tmp_path)
    busy = Busy(weather.fair(), slow=0.03)
    texts = [str(n) for n in range(24)]
    limits = {"concurrency": 4, "timeout": 20}
    one, two = rush.all(
        {"port": busy.port, "texts": texts, "limits": limits},
        {"port": busy.port, "texts": texts[::-1], "limits": limits},
    )
    busy.stop()
    assert (one["answered"], two["answered"]) == (24, 24)
    assert set(busy.asked().values()) == {1}
    assert set(Call.objects.values_list("state", flat=True)) == {State.ANSWERED}


def test_the_circuit_is_one_for_all_workers(tmp_path):
    rush = Rush(tmp_path)
    busy = Busy(weather.close)
    limits = {"concurrency": 1, "timeout": 5}
    EndpointState.objects.create(name="rush", failures=4)
    rush = Rush(tmp_path)
    given = [{"port": busy.port, "texts": [f"{n} {m}" for m in range(9)], "limits": limits} for n in range(3)]
    started = [rush.start(**each) for each in given]
    deadline = time.monotonic() + 30
    while len(busy.seen) < 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    for each in started:
        each.kill()
        each.wait()
    rush.bring_back()
    busy.stop()
    # One failure more opens it: of three workers one had sent, and the others had not begun or wait.
    assert len(busy.seen) == 1
    assert EndpointState.objects.get().openings == 1


def test_a_killed_worker_costs_what_it_had_in_flight_and_nothing_is_asked_a_third_time(tmp_path):
    budget = Budget.objects.create(limit=10**9)
    rush = Rush(tmp_path)
    with server(weather.fair(), slow=0.1) as one:
        limits = {"concurrency": 4, "timeout": 5}
        given = {
            "port": one.port, "texts": [str(n) for n in range(24)], "limits": limits,
            "budget": budget.pk, "purpose": "reading 1",
        }  # fmt: skip
        first = rush.start(**given)
        deadline = time.monotonic() + 60
        while len(one.seen) < 10 and time.monotonic() < deadline:
            time.sleep(0.01)
        first.kill()
        first.wait()
        rush.bring_back()
        sent = Call.objects.filter(state=State.SENT)
        in_flight = sent.count()
        assert 1 <= in_flight <= 4
        # The lease runs out, and another worker goes on.
        Call.objects.filter(state=State.SENT).update(lease_until=timezone.now())
        assert sweep("rush") == in_flight
        (tmp_path / "again").mkdir()
        again = Rush(tmp_path / "again")
        (told,) = again.all(given)
        asked = Counter(body["messages"][0]["content"] for _, body in one.seen)
    assert told == {"answered": 24, "stopped": ""}
    assert Call.objects.filter(state=State.UNKNOWN).count() == in_flight
    assert Call.objects.filter(state=State.ANSWERED).count() == 24
    assert set(asked.values()) <= {1, 2}
    assert sum(times == 2 for times in asked.values()) <= in_flight
    budget.refresh_from_db()
    assert budget.reserved == 0
    assert budget.spent == Call.objects.aggregate(s=Sum("price"))["s"]
    assert not Call.objects.filter(state=State.UNKNOWN).exclude(price=F("reserved")).exists()

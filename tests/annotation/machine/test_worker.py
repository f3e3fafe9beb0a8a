"""A Celery worker that reads a study by machine: killed in the middle, its model taken away and given back.

Real processes and a server that answers over HTTP.
"""

import json
import sqlite3
import time
from collections import Counter

import pytest
from django.db import connection

from annotation.machine import jobs, prompts
from annotation.machine.readers import Settings, make
from annotation.models import MachineJob
from machines.models import Call, State
from retrieval.models import Status
from tests import builders
from tests.annotation.machine.scripted import FIRST
from tests.annotation.test_R01_overlap import environment
from tests.machines import weather
from tests.machines.weather import server
from tests.retrieval import processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]
ITEMS, AT_ONCE = 24, 2
IMPATIENT = "settings.JOB_LEASE_SECONDS, settings.JOB_SWEEP_SECONDS = 3, 1\n"
GO_ON = """
import django
django.setup()
from annotation.machine import jobs
from annotation.models import MachineJob
print("gone on", jobs.go_on_with(MachineJob.objects.get()), flush=True)
"""


class Site:
    """One database that this test and the workers see, and the file that says which models there are."""

    def __init__(self, folder, settings, port):
        self.folder, self.models = folder, folder / "models.toml"
        self.allowed = (
            f'[endpoints.lamp]\nurl = "http://127.0.0.1:{port}/v1"\nmodel = "m"\n'
            f'concurrency = {AT_ONCE}\ntimeout = 2\nkey_variable = "LAMP_KEY"\n'
        )
        self.models.write_text(self.allowed)
        settings.MODELS = str(self.models)

    def shared(self):
        """The environment of the workers; from now on theirs is the database."""
        return environment(self.folder) | {"VARIORUM_MODELS": str(self.models), "LAMP_KEY": "secret"}

    def job(self):
        """Status and error of the job, as the workers' database has them."""
        if connection.vendor != "sqlite":
            return MachineJob.objects.values_list("status", "error").get()
        with sqlite3.connect(self.folder / "variorum.sqlite3", timeout=30) as file:
            found = file.execute("SELECT status, error FROM annotation_machinejob").fetchone()
        file.close()
        return found

    def until(self, status):
        return until(lambda: self.job() if self.job()[0] == status else None)

    def bring_back(self):
        if connection.vendor == "sqlite":
            with sqlite3.connect(self.folder / "variorum.sqlite3") as file:
                file.backup(connection.connection)
            file.close()


def go_on(where):
    """What the button *Go on* does, in a process of its own."""
    with processes.started(where, "-c", GO_ON) as hand:
        hand.until("gone on True")


def until(found):
    """Wait for something, a minute at most."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if got := found():
            return got
        time.sleep(0.1)
    raise AssertionError("it did not come")


def test_a_killed_worker_a_model_that_is_gone_and_a_changed_key_cost_no_reading(tmp_path, settings):
    fair, turned_away = weather.said(FIRST), weather.error(401, "This key is not known: secret.")
    with server(fair, slow=0.15) as one:
        site = Site(tmp_path, settings, one.port)
        study = builders.study(items=ITEMS)
        prompts.revise(study, *prompts.proposed(study), reason="", seen=0, by=None)
        jobs.submit(make(study, Settings("lamp", 1, replicates=1), by=None))
        where = site.shared()
        with processes.patched_worker(where, IMPATIENT) as first:
            until(lambda: len(one.seen) >= 6)
            first.kill()
        before = len(one.seen)
        assert before < ITEMS
        site.models.write_text("")
        with processes.patched_worker(where, IMPATIENT) as second:
            _, error = site.until(Status.FAILED)
            assert "lamp" in error
            assert "VARIORUM_MODELS names none" in error
            assert len(one.seen) == before
            site.models.write_text(site.allowed)
            one.ways[:] = [turned_away]
            go_on(where)
            _, error = site.until(Status.FAILED)
            assert "LAMP_KEY" in error
            assert "secret" not in error
            refused = range(before, len(one.seen))
            assert 1 <= len(refused) <= AT_ONCE
            one.ways[:] = [fair]
            go_on(where)
            site.until(Status.DONE)
            second.stop()
        site.bring_back()
        answered = [body for at, (_, body) in enumerate(one.seen) if at not in refused]
        asked = Counter(json.dumps(body["messages"]) for body in answered)
    reader = study.machine_readers.get()
    assert list(reader.readings.values_list("state", flat=True)) == ["answered"] * ITEMS
    unknown = Call.objects.filter(state=State.UNKNOWN).count()
    assert unknown <= AT_ONCE
    assert len(asked) == ITEMS
    assert sum(asked.values()) - ITEMS <= unknown
    assert Call.objects.filter(state=State.ANSWERED).count() == ITEMS

"""R04: the web process is killed at every moment of a submission; the reader sends it again. Once, always."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

from tests import builders
from tests.annotation.test_R01_overlap import environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.sqlite]
MOMENTS = 40


def test_R04_nothing_is_lost_and_nothing_is_twice(ada, tmp_path):
    study = builders.study(items=MOMENTS, overlap=1)
    builders.enrolment(study, ada)
    where = environment(tmp_path)
    connection.close()
    command = [sys.executable, "-m", "tests.annotation.failpoints", study.slug, "A"]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=where, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    happened = json.loads(done.stdout)
    killed, last = happened[:-1], happened[-1]
    # The last one met no bomb any more: before it every moment of a submission was tried.
    assert last == [0, 1, 0, 1]
    assert len(killed) >= 5
    assert {first for first, *_ in killed} == {-signal.SIGKILL}
    assert [(again, after) for *_, again, after in killed] == [(0, 1)] * len(killed)
    # Some died before it was stored and some after: both sides of the commit were met.
    assert {between for _, between, *_ in killed} == {0, 1}

"""The web and a worker as containers run them, seen from outside: numbers of all processes, a log of JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from django.conf import settings

from retrieval.candidates import submitting
from retrieval.models import CandidateJob, Status
from tests import builders
from tests.annotation.test_R01_overlap import environment

pytestmark = [pytest.mark.services, pytest.mark.sqlite]
PATIENT = 120
TOKEN = "a-token-of-27-characters-xy"
HIDDEN = "a-password-that-nobody-logs"


@contextmanager
def container(folder, *command, **more):
    """What a container runs, with a log of JSON; its log as a file."""
    (folder / "token").write_text(f"{TOKEN}\n")
    variables = environment(folder) | {
        "VARIORUM_REDIS_URL": "",
        "VARIORUM_LOG_FORMAT": "json",
        "VARIORUM_METRICS_TOKEN_FILE": str(folder / "token"),
        "TMPDIR": str(folder),
        **more,
    }
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    log = folder / f"log-of-{command[0]}"
    with log.open("wb") as out:
        started = subprocess.Popen(
            ["sh", "docker/entrypoint", *command],
            cwd=settings.BASE_DIR, env=variables, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        yield started, log
    finally:
        started.terminate()
        try:
            started.wait(PATIENT)
        finally:
            started.kill()


def until(asked, process, log):
    """What `asked()` comes to; it is asked until that is something."""
    deadline = time.monotonic() + PATIENT
    while not (found := asked()):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return found


def told(log):
    """The events in a log, and the lines that are none: of what runs before the web or the worker."""
    lines = log.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def get(url, **headers):
    try:
        with build_opener(ProxyHandler({})).open(Request(url, headers=headers), timeout=PATIENT) as reply:
            return reply.status, reply.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_the_numbers_are_those_of_all_web_processes_and_the_log_is_of_json(transactional_db, tmp_path):
    with container(tmp_path, "web", WEB_BIND="127.0.0.1:0", WEB_WORKERS="2") as (web, log):
        at = until(lambda: re.search(r"Listening at: (http://[\d.:]+)", log.read_text()), web, log)[1]

        def visits():
            status, numbers = get(f"{at}/metrics", Authorization=f"Bearer {TOKEN}")
            assert status == 200
            login = r'^variorum_request_seconds_count\{method="GET",route="/login/",status="2xx"\} (\S+)'
            found = re.search(login, numbers, re.M)
            return float(found[1]) if found else 0

        for _ in range(3):
            assert get(f"{at}/login/?of={HIDDEN}")[0] == 200
        assert get(f"{at}/nowhere/{HIDDEN}/")[0] == 404
        assert (get(f"{at}/healthz"), get(f"{at}/metrics")[0]) == ((200, '{"alive": true}'), 401)
        assert get(f"{at}/readyz") == (200, '{"ready": true}')
        assert visits() == 3
        # What a process counted stays when another takes its place.
        first = {each["message"] for each in told(log) if "Booting worker" in each["message"]}
        for message in first:
            os.kill(int(message.split()[-1]), 15)
        until(
            lambda: sum("Booting worker" in each["message"] for each in told(log)) >= 2 * len(first), web, log
        )
        assert get(f"{at}/login/")[0] == 200
        assert visits() == 4
        assert list(tmp_path.glob("variorum-metrics-*"))
    assert list(tmp_path.glob("variorum-metrics-*")) == []

    requests = [each for each in told(log) if each["logger"] == "variorum.request"]
    assert [(each["route"], each["status"]) for each in requests] == [
        ("/login/", 200), ("/login/", 200), ("/login/", 200), ("unmatched", 404), ("/login/", 200),
    ]  # fmt: skip
    assert len({each["request"] for each in requests}) == 5
    # Neither gunicorn's line for a request nor Django's on a 404, which hold the address.
    assert [secret for secret in (TOKEN, HIDDEN) if secret in log.read_text()] == []


def test_a_worker_names_the_job_in_its_log_and_gives_signs_of_life(transactional_db, tmp_path):
    book, critic = builders.book(), builders.source()
    builders.excerpt(book, critic)
    job = submitting.submit(book, ranker="bm25", parameters={"negatives": 1, "matching": False})
    with container(tmp_path, "worker", "cpu") as (worker, log):
        of_job = until(lambda: [each for each in told(log) if each.get("job")], worker, log)
        until(lambda: any("done" in each["message"] for each in told(log) if each.get("job")), worker, log)
        variables = environment_of(worker)
        alive = subprocess.run(
            [sys.executable, "manage.py", "worker_alive", "cpu"],
            cwd=settings.BASE_DIR, env=variables, capture_output=True, text=True, timeout=PATIENT,
        )  # fmt: skip
        assert (alive.returncode, alive.stdout[:5]) == (0, "Seen "), alive.stderr
        other = subprocess.run(
            [sys.executable, "manage.py", "worker_alive", "gpu"],
            cwd=settings.BASE_DIR, env=variables, capture_output=True, text=True, timeout=PATIENT,
        )  # fmt: skip
        assert (other.returncode, "never seen" in other.stderr) == (1, True)
    assert {each["job"] for each in of_job} == {f"candidates-{job.pk}"}
    lines = [line for line in log.read_text().splitlines() if "retrieval.jobs" in line]
    assert lines
    assert all(line.startswith("{") for line in lines)
    if not (tmp_path / "variorum.sqlite3").exists():
        assert CandidateJob.objects.get(pk=job.pk).status == Status.DONE


def environment_of(process):
    """The variables that a process was started with."""
    held = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    return dict(os.fsdecode(each).partition("=")[::2] for each in held if each)

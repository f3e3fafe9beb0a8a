"""What the site says to whoever operates it: probes, numbers and its log."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import logging.config
import socket
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse
from django.test import RequestFactory
from gunicorn.config import Config
from gunicorn.http.errors import InvalidHeader, InvalidRequestLine, LimitRequestLine

from common.errors import BadInput, needs_model_packages
from retrieval.jobs import workers
from retrieval.models import Worker
from tests import builders
from variorum import env
from variorum.outside import logs, readiness, requests
from variorum.outside.access_log import AccessLog

TOKEN = "a-token-of-27-characters-xy"


def test_healthz_asks_no_database_whatever_name_the_site_is_asked_by(client, settings, monkeypatch):
    settings.SECURE_SSL_REDIRECT = True
    monkeypatch.setattr(readiness, "not_ready", lambda: pytest.fail("asked"))
    # No mark for a database: pytest-django refuses every query.
    reply = client.get(
        "/healthz", headers={"host": "10.0.0.7", "cookie": f"{settings.SESSION_COOKIE_NAME}=x"}
    )
    assert (reply.status_code, reply.json(), reply["Cache-Control"]) == (200, {"alive": True}, "no-store")
    assert client.post("/healthz").status_code == 405


def test_readyz_says_what_is_missing_and_no_secret(client, db, settings, monkeypatch):
    def said():
        reply = client.get("/readyz")
        return reply.status_code, reply.json()

    assert said() == (200, {"ready": True})
    settings.EMBEDDED, settings.REDIS_URL = False, "redis://:hidden-word@127.0.0.1:1/0"
    assert said() == (503, {"ready": False, "reason": readiness.NO_QUEUE})
    settings.EMBEDDED = True
    recorder = MigrationRecorder(connection)
    recorder.record_applied("annotation", "9999_of_a_later_version")
    assert said() == (503, {"ready": False, "reason": readiness.NEWER})
    app, name = max(readiness.migrations_here())
    recorder.record_unapplied(app, name)
    assert said() == (503, {"ready": False, "reason": readiness.WAITING})

    def away(self):
        raise OperationalError("connection to 10.0.0.9 as variorum failed: hidden-word")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", away)
    assert said() == (503, {"ready": False, "reason": readiness.NO_DATABASE})


def test_a_worker_waits_for_the_migrations_and_gives_up_with_the_reason(db, monkeypatch):
    answers = iter([readiness.NO_DATABASE, readiness.WAITING, readiness.WAITING, ""])
    # The connection is the test's.
    monkeypatch.setattr(connection, "close", lambda: None)
    monkeypatch.setattr(readiness, "not_ready", lambda: next(answers))
    out = io.StringIO()
    call_command("wait_until_ready", every=0, stdout=out)
    assert out.getvalue().splitlines() == [
        f"Waiting: {readiness.NO_DATABASE}", f"Waiting: {readiness.WAITING}", "Ready.",
    ]  # fmt: skip
    monkeypatch.setattr(readiness, "not_ready", lambda: readiness.WAITING)
    with pytest.raises(CommandError, match=r"Not ready after 0 s: Migrations wait"):
        call_command("wait_until_ready", every=0, seconds=0, stdout=out)


def test_a_worker_of_another_machine_does_not_make_this_one_healthy(db):
    workers.report("celery@elsewhere-7", ["cpu"])
    with pytest.raises(CommandError, match="No worker for cpu on this machine: never seen"):
        call_command("worker_alive", "cpu")
    workers.report(f"celery@{socket.gethostname()}-8", ["cpu"])
    out = io.StringIO()
    call_command("worker_alive", "cpu", stdout=out)
    assert out.getvalue().startswith("Seen ")
    Worker.objects.filter(name__endswith="-8").update(seen="2026-01-01T00:00Z")
    with pytest.raises(CommandError, match="last seen"):
        call_command("worker_alive", "cpu")


@pytest.fixture
def counted(settings, client):
    """A client whose requests are counted, and `numbers()`, which reads them as a scraper does."""
    settings.METRICS_TOKEN = TOKEN

    def numbers(**headers):
        return client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}", **headers})

    return client, numbers


def test_the_numbers_are_for_who_has_the_token(db, client, settings, counted):
    _, numbers = counted
    for sent in ("", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN, "Bearer ü"):
        reply = numbers(authorization=sent)
        assert (reply.status_code, reply["WWW-Authenticate"]) == (401, "Bearer")
        assert b"variorum_" not in reply.content
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics").status_code == 404


def test_the_numbers_say_what_waits_who_works_what_is_stored_and_how_long_it_took(counted, job, monkeypatch):
    client, numbers = counted
    workers.report("celery@here-1", ["cpu"])
    client.get("/login/")
    client.get("/studies/of-a-secret-name/")
    said = numbers().content.decode()
    lines = dict(line.rsplit(" ", 1) for line in said.splitlines() if not line.startswith("#"))
    assert lines['variorum_jobs{kind="candidates",queue="cpu",status="queued"}'] == "1.0"
    assert float(lines['variorum_oldest_waiting_job_seconds{queue="cpu"}']) >= 0
    assert (lines['variorum_workers{queue="cpu"}'], lines['variorum_workers{queue="gpu"}']) == ("1.0", "0.0")
    assert (lines["variorum_judgments"], lines["variorum_database_up"]) == ("0.0", "1.0")
    assert lines["variorum_record_seals"] == "0.0"
    login = 'variorum_request_seconds_count{method="GET",route="/login/",status="2xx"}'
    assert int(float(lines[login])) >= 1
    assert "secret-name" not in said

    def away():
        raise OperationalError("away")

    monkeypatch.setattr("variorum.outside.metrics._jobs", away)
    assert "variorum_database_up 0.0" in numbers().content.decode()


@pytest.fixture
def job(db):
    from retrieval.candidates import submitting

    book, critic = builders.book(), builders.source()
    builders.excerpt(book, critic)
    return submitting.submit(book, ranker="bm25", parameters={"negatives": 1, "matching": False})


def written(said, log_format="json"):
    """What the log says of `said(logger)`."""
    told, out = logs.configuration(log_format), io.StringIO()
    told["handlers"]["console"]["stream"] = out
    del told["root"]
    told["loggers"] = {"variorum.tried": {"handlers": ["console"], "level": "INFO", "propagate": False}}
    logging.config.dictConfig(told)
    said(logging.getLogger("variorum.tried"))
    return out.getvalue()


def test_a_line_is_one_event_with_the_ids_and_no_secret(settings):
    request = RequestFactory().get(
        "/join/a-code-of-an-invitation/", headers={"authorization": "Token hidden"}
    )
    request._cached_user = builders.User(pk=41, username="ada", first_name="Ada")
    held, job = logs.current_request.set(("0123abcd", request)), logs.current_job.set("training-7")
    try:
        line = written(
            lambda log: log.warning(
                "Bad\r\nname: %s", '"}\n{', extra={"request": request, "password": "hidden"}
            )
        )
    finally:
        logs.current_request.reset(held)
        logs.current_job.reset(job)
    assert line.count("\n") == 1
    said = json.loads(line)
    assert (said["message"], said["level"], said["logger"]) == (
        'Bad\r\nname: "}\n{',
        "WARNING",
        "variorum.tried",
    )
    assert (said["request"], said["job"]) == ("0123abcd", "training-7")
    assert said["person"] == logs.person_key(41) != logs.person_key(42)
    assert said["time"].endswith("+00:00")
    for secret in ("ada", "Ada", "hidden", "a-code", "41"):
        assert secret not in line.replace(said["person"], "").replace(said["time"], "")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/work/12/", "/work/12/"),
        ("/static/annotation/queue.js", "/static/annotation/queue.js"),
        ("/static/a\nGET / HTTP/1.1", "unmatched"),
        ("/mail/stop/7-ab.cd/", "/mail/stop/<str:token>/"),
        ("/mail/stop/7-ab.cd", "unmatched"),
        ("/join/12.abc/", "/join/<str:token>/"),
    ],
)
def test_a_path_is_shown_as_far_as_it_is_no_secret(path, shown):
    assert logs.shown_path(path) == shown


def test_a_line_of_gunicorns_holds_no_query_whatever_its_format_names():
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/join/?PROLIFIC_PID=hidden-id",
        "PATH_INFO": "/join/",
        "QUERY_STRING": "PROLIFIC_PID=hidden-id",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "here.example",
        "HTTP_REFERER": "https://app.example.org/studies/?id=hidden-id",
        "HTTP_COOKIE": "sessionid=hidden-id",
    }
    headers = [("REFERER", environ["HTTP_REFERER"]), ("COOKIE", environ["HTTP_COOKIE"])]
    log = AccessLog(Config())
    told = log.atoms(SimpleNamespace(status="200 OK", headers=[]), headers, environ, timedelta(seconds=1))
    assert (told["r"], told["U"], told["f"]) == ("GET /join/ HTTP/1.1", "/join/", "https://app.example.org/")
    assert "hidden" not in str(told)
    own = {**environ, "HTTP_REFERER": "https://here.example/mail/stop/7-ab.hidden/?x=hidden"}
    told = log.atoms(SimpleNamespace(status="200 OK", headers=[]), [], own, timedelta(seconds=1))
    assert told["f"] == "https://here.example/mail/stop/<str:token>/"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("/join/?PROLIFIC_PID=hidden-id", "/join/"),
        ("http://here.example/join/?PROLIFIC_PID=hidden-id", "/join/"),
        ("HTTP://here.example/mail/stop/7-ab.hidden/", "/mail/stop/<str:token>/"),
        ("http://here.example?id=hidden", "unmatched"),
    ],
)
def test_what_broke_is_told_of_without_a_query_in_whatever_form_it_was_asked(address, shown):
    with contextlib.redirect_stderr(io.StringIO()) as out:
        AccessLog(Config()).exception("Error handling request %s %s", "GET", address)
    assert "hidden" not in out.getvalue()
    assert f"request GET {shown}\n" in out.getvalue()


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (InvalidRequestLine("GET /mail/stop/7-ab.hidden/"), "Invalid HTTP request line"),
        (InvalidHeader("Cookie: sessionid=hidden"), "Invalid HTTP Header"),
        (LimitRequestLine(5000, 4094), "Request Line is too large (5000 > 4094)"),
    ],
)
def test_of_a_request_that_is_none_no_word_is_told(wrong, shown):
    with contextlib.redirect_stderr(io.StringIO()) as out:
        AccessLog(Config()).warning(f"Invalid request from ip=fe80::1: {wrong}")
    assert out.getvalue().endswith(f"Invalid request from ip=fe80::1: {shown}\n")


def test_who_is_refused_has_no_key_in_a_plain_line():
    """Django names the path of what it refuses."""
    request = RequestFactory().post("/join/12.hidden/")
    for name in ("django.request", "django.security.csrf"):
        record = logging.LogRecord(name, logging.WARNING, "", 0, "Forbidden: %s", (request.path,), None)
        record.request = request
        logs.Context().filter(record)
        assert record.getMessage() == "Forbidden: /join/<str:token>/"


def test_a_traceback_stays_in_its_line_and_plain_lines_cannot_be_forged():
    def fail(log):
        try:
            raise ValueError("of\nno use")
        except ValueError:
            log.exception("It failed")

    said = json.loads(written(fail))
    assert "ValueError: of\nno use" in said["exc_info"]
    forged = "x\n2026-11-23 INFO variorum.request ada did it"
    plain = written(lambda log: log.warning("Refused: %s", forged), "plain")
    assert (plain.count("\n"), r"x\n2026" in plain) == (1, True)


def test_a_request_has_an_id_of_a_proxy_of_ours_or_a_new_one(settings, caplog):
    settings.LOG_FORMAT, settings.METRICS_TOKEN = "json", ""
    answer = requests.observe(lambda request: HttpResponse(status=204))
    asked = RequestFactory().get("/", headers={"x-request-id": "of-the-proxy-1"})
    with caplog.at_level(logging.INFO, "variorum.request"):
        own = answer(asked)["X-Request-ID"]
        settings.PROXIES = 1
        given = answer(asked)["X-Request-ID"]
        odd = answer(RequestFactory().get("/", headers={"x-request-id": "a b\n"}))["X-Request-ID"]
    assert given == "of-the-proxy-1"
    assert len(own) == len(odd) == 32
    assert [(each.route, each.status) for each in caplog.records] == [("unmatched", 204)] * 3
    settings.LOG_FORMAT = "plain"
    with pytest.raises(MiddlewareNotUsed):
        requests.observe(answer)


def test_secrets_come_from_files(monkeypatch, tmp_path):
    file = tmp_path / "secret"
    file.write_text("p@ss/w:rd-of-twenty-and-more\n")
    for name in ("DATABASE_PASSWORD", "REDIS_PASSWORD", "METRICS_TOKEN"):
        monkeypatch.setenv(f"VARIORUM_{name}_FILE", str(file))
    monkeypatch.setenv("VENDOR_KEY_FILE", str(file))
    monkeypatch.setenv("VARIORUM_DATABASE_URL", "postgresql://ada@db/variorum")
    monkeypatch.setenv("VARIORUM_REDIS_URL", "redis://cache:6379/0")
    secret = file.read_text().strip()
    assert (
        env.database(tmp_path)["PASSWORD"] == env.metrics_token() == env.named_secret("VENDOR_KEY") == secret
    )
    assert env.redis_url() == "redis://:p%40ss%2Fw%3Ard-of-twenty-and-more@cache:6379/0"
    monkeypatch.setenv("VARIORUM_REDIS_URL", "redis://:other@cache:6379/0")
    with pytest.raises(ImproperlyConfigured, match="both hold a password"):
        env.redis_url()
    file.write_text("short")
    with pytest.raises(ImproperlyConfigured, match="too short"):
        env.metrics_token()
    file.write_text("\n")
    with pytest.raises(ImproperlyConfigured, match=r"VARIORUM_METRICS_TOKEN_FILE=.*: the file is empty"):
        env.metrics_token()
    monkeypatch.setenv("VARIORUM_METRICS_TOKEN_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match="No such file"):
        env.metrics_token()
    monkeypatch.setenv("VARIORUM_LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="use plain or json"):
        env.log_format()


def test_what_a_model_lacks_is_said_in_a_sentence_and_other_faults_are_not_hidden():
    with (
        pytest.raises(BadInput, match=r"safetensors is not installed here.*pip install -r requirements\.txt"),
        needs_model_packages(),
    ):
        raise ModuleNotFoundError(name="safetensors.torch")
    with pytest.raises(ModuleNotFoundError), needs_model_packages():
        raise ModuleNotFoundError(name="numpy")

"""Settings: documented, and refused at boot when they are unsafe or unclear."""

import os
import re
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.checks import WARNING, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

import manage
from variorum import env, secret
from variorum.outside import mail

ROOT = Path(__file__).resolve().parents[2]
STRONG = "k3Jx" * 5 + "0aZq9LmWvB7cRtYp" * 3
NEURAL = {"torch", "transformers", "tokenizers", "safetensors"}
HEAVY = NEURAL | {"pandas", "statsmodels", "scipy", "matplotlib", "py3langid", "celery", "kombu"}


def test_every_variable_is_documented_and_no_other():
    documented = set(re.findall(r"^\| `(VARIORUM_\w+)` \|", (ROOT / "docs/settings.md").read_text(), re.M))
    assert documented == set(env.VARIABLES)


def test_nothing_but_env_reads_the_environment():
    readers = [
        str(path.relative_to(ROOT))
        for app in ("variorum", "evaluation", "annotation", "retrieval", "machines", "common")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"os\.environ\[|os\.environ\.get|getenv", path.read_text())
    ]
    assert readers == ["variorum/env.py"]


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("on", True), ("0", False), ("", False)])
def test_a_flag_is_on_or_off(monkeypatch, value, expected):
    monkeypatch.setenv("VARIORUM_DEBUG", value)
    assert env.flag("VARIORUM_DEBUG") is expected


def test_a_flag_that_is_neither_is_refused(monkeypatch):
    monkeypatch.setenv("VARIORUM_DEBUG", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="VARIORUM_DEBUG='perhaps'"):
        env.flag("VARIORUM_DEBUG")


def test_a_database_url_is_read_with_its_escapes(monkeypatch, tmp_path):
    monkeypatch.setenv("VARIORUM_DATABASE_URL", "postgresql://ada:p%40ss@db:5433/variorum")
    database = env.database(tmp_path)
    assert (database["USER"], database["PASSWORD"], database["PORT"]) == ("ada", "p@ss", "5433")


def test_a_database_url_may_name_a_socket(monkeypatch, tmp_path):
    monkeypatch.setenv("VARIORUM_DATABASE_URL", "postgresql://ada@:5433/variorum?host=/run/my%20postgresql")
    database = env.database(tmp_path)
    assert [database[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "ada", "", "/run/my postgresql", "5433", "variorum"
    ]  # fmt: skip


def test_a_database_url_may_ask_for_encryption(monkeypatch, tmp_path):
    monkeypatch.setenv(
        "VARIORUM_DATABASE_URL", "postgresql://ada@db/variorum?sslmode=verify-full&sslrootcert=/etc/ca.pem"
    )
    database = env.database(tmp_path)
    assert database["HOST"] == "db"
    assert database["OPTIONS"].items() >= {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}.items()


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("@/variorum?port=5433", "says 'port=5433'"),
        ("@/variorum?host=/run/a&options=-c%20fsync=off", "says 'options=-c fsync=off'"),
        ("@/variorum?host=db", "says 'host=db'"),
        ("@/variorum?host=", "says 'host='"),
        ("@db/variorum?sslmode=prefer", "says 'sslmode=prefer'"),
        ("@db/variorum?sslmode=require&sslmode=require", "says something twice"),
        ("@db/variorum?host=/run/a", "names a host ('db') and a socket ('/run/a')"),
    ],
)
def test_a_database_url_that_says_what_is_not_read_is_refused(monkeypatch, tmp_path, rest, told):
    monkeypatch.setenv("VARIORUM_DATABASE_URL", f"postgresql://ada{rest}")
    with pytest.raises(ImproperlyConfigured, match=re.escape(told)):
        env.database(tmp_path)


def test_a_database_url_of_another_kind_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("VARIORUM_DATABASE_URL", "mysql://ada@db/variorum")
    with pytest.raises(ImproperlyConfigured, match="postgresql://"):
        env.database(tmp_path)


def test_the_embedded_mode_makes_its_own_key_for_its_owner_only(monkeypatch, tmp_path):
    monkeypatch.delenv("VARIORUM_SECRET_KEY", raising=False)
    monkeypatch.delenv("VARIORUM_SECRET_KEY_FILE", raising=False)
    first = secret.key(tmp_path, embedded=True)
    assert secret.key(tmp_path, embedded=True) == first
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


def test_a_first_start_that_got_no_further_than_the_file_is_finished_by_the_next(monkeypatch, tmp_path):
    """So is one that is not through with it when the other looks: it waits and reads the same key."""
    monkeypatch.delenv("VARIORUM_SECRET_KEY", raising=False)
    monkeypatch.delenv("VARIORUM_SECRET_KEY_FILE", raising=False)
    (tmp_path / "secret-key").touch(0o600)
    with ThreadPoolExecutor(8) as starts:
        keys = set(starts.map(lambda _: secret.key(tmp_path, embedded=True), range(8)))
    assert keys == {(tmp_path / "secret-key").read_text("utf-8")}


def test_S08_the_scaled_mode_refuses_to_boot_without_a_key(monkeypatch, tmp_path):
    monkeypatch.delenv("VARIORUM_SECRET_KEY", raising=False)
    monkeypatch.delenv("VARIORUM_SECRET_KEY_FILE", raising=False)
    with pytest.raises(ImproperlyConfigured, match="VARIORUM_SECRET_KEY"):
        secret.key(tmp_path, embedded=False)
    assert not (tmp_path / "secret-key").exists()


@pytest.mark.parametrize("key", ["short", "a" * 80, "django-insecure-" + STRONG])
def test_S08_a_guessable_key_is_refused(monkeypatch, tmp_path, key):
    monkeypatch.delenv("VARIORUM_SECRET_KEY_FILE", raising=False)
    monkeypatch.setenv("VARIORUM_SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured, match="too short or well known"):
        secret.key(tmp_path, embedded=True)


def run(*command, **extra):
    environment = {"PATH": "/usr/bin:/bin", "VARIORUM_SECRET_KEY": STRONG, **extra}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.services  # processes with settings of their own, whatever the database of the tests
def test_S08_the_scaled_shape_passes_every_deployment_check():
    result = run(
        "manage.py", "check", "--deploy", "--fail-level", "WARNING",
        VARIORUM_HTTPS="1", VARIORUM_HOSTS="variorum.example.org", VARIORUM_REDIS_URL="redis://127.0.0.1:1/0",
        VARIORUM_DATABASE_URL="postgresql://variorum@127.0.0.1:1/variorum",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


def without(name):
    return {"MIDDLEWARE": [each for each in django_settings.MIDDLEWARE if not each.endswith(name)]}


POLICY = django_settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
WEAKENED = {
    "security.W018": {"DEBUG": True},
    "security.W009": {"SECRET_KEY": "django-insecure-" + "a" * 60},
    "security.W020": {"ALLOWED_HOSTS": []},
    "variorum.E002": {"ALLOWED_HOSTS": ["*"]},
    "variorum.E001": {"DEMONSTRATION": True},
    "security.W008": {"SECURE_SSL_REDIRECT": False},
    "security.W004": {"SECURE_HSTS_SECONDS": 0},
    "security.W005": {"SECURE_HSTS_INCLUDE_SUBDOMAINS": False},
    "security.W021": {"SECURE_HSTS_PRELOAD": False},
    "security.W012": {"SESSION_COOKIE_SECURE": False},
    "security.W015": {"SESSION_COOKIE_HTTPONLY": False},
    "security.W016": {"CSRF_COOKIE_SECURE": False},
    "security.W006": {"SECURE_CONTENT_TYPE_NOSNIFF": False},
    "security.W022": {"SECURE_REFERRER_POLICY": None},
    "security.W019": {"X_FRAME_OPTIONS": "SAMEORIGIN"},
    "security.W001": without("SecurityMiddleware"),
    "security.W002": without("XFrameOptionsMiddleware"),
    "security.W003": without("CsrfViewMiddleware"),
    "variorum.E003": without("CSPMiddleware"),
    "variorum.E003 ": {
        "CONTENT_SECURITY_POLICY": {"DIRECTIVES": POLICY | {"script-src": ["'unsafe-inline'"]}}
    },
    "variorum.E004": {"CELERY_ACCEPT_CONTENT": ["json", "pickle"]},
}


@pytest.fixture(scope="module")
def shipped():
    """The settings of a deployed site, as its environment makes them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"HTTPS": "1", "HOSTS": "variorum.example.org", "SECRET_KEY": STRONG}.items():
            patch.setenv(f"VARIORUM_{name}", value)
        made = runpy.run_path(str(ROOT / "variorum/settings.py"))
    of_security = (
        "SECURE_",
        "SESSION_",
        "CSRF_",
        "CELERY_",
        "CONTENT_",
        "X_FRAME",
        "SECRET_KEY",
        "ALLOWED_",
        "DEB",
    )
    return {
        name: value for name, value in made.items() if name.startswith((*of_security, "MIDDLEWARE", "DEMON"))
    }


def warned(found):
    with override_settings(**found):
        said = run_checks(tags=["security"], include_deployment_checks=True)
    return [each.id for each in said if each.level >= WARNING]


def test_S08_the_shipped_settings_pass_every_check_of_security(shipped):
    assert warned(shipped) == []


@pytest.mark.parametrize("found", WEAKENED)
def test_S08_each_weakened_setting_is_found(shipped, found):
    assert warned(shipped | WEAKENED[found]) == [found.strip()]


@pytest.mark.parametrize(
    ("hosts", "found"),
    [(["*"], ["variorum.E002"]), (["a.example", "*"], ["variorum.E002"]), ([".a.example"], [])],
)
def test_S08_a_deployed_site_that_answers_to_every_name_is_refused(settings, hosts, found):
    settings.ALLOWED_HOSTS = hosts
    assert [each.id for each in run_checks(tags=["security"], include_deployment_checks=True)
            if each.id.startswith("variorum.")] == found  # fmt: skip


@pytest.mark.services
def test_S08_check_deploy_says_so_and_fails():
    result = run(
        "manage.py", "check", "--deploy", VARIORUM_HOSTS="*", VARIORUM_REDIS_URL="redis://127.0.0.1:1/0"
    )
    assert (result.returncode, "Name the hosts" in result.stderr) == (1, True), result.stderr


LIGHT = f"""
import sys, variorum.wsgi
from django.urls import get_resolver
get_resolver().url_patterns
from retrieval import loading
from retrieval.candidates import pipeline, submitting
from retrieval.jobs import queue, workers
print(sorted({HEAVY} & set(sys.modules)))
from retrieval.engine.ranking import rankers
rankers.all()
from retrieval.models import Book
from retrieval.search.evidence import search
text = "A lamp burns. A boat left. A bell rang."
book = Book(title="B", text=text, sentences=[[0, 13], [14, 26], [27, 39]], n_sentences=3)
assert search(book, "lamp")[0].first == 0
print(sorted({NEURAL} & set(sys.modules)))
"""


def test_the_web_loads_nothing_that_only_workers_need_nor_a_search_by_words_a_model(tmp_path):
    result = run("-c", LIGHT, VARIORUM_DATA_DIR=str(tmp_path))
    assert (result.returncode, result.stdout.strip()) == (0, "[]\n[]"), result.stderr


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        pytest.param(
            "VARIORUM_DATABASE_URL", "garbage", "must look like postgresql://", id="no database's address"
        ),
        pytest.param(
            "VARIORUM_LOADING_SECONDS", "0", "use a number from 1 to 604800", id="no time for a search"
        ),
        pytest.param("VARIORUM_SECRET_KEY", "short", "VARIORUM_SECRET_KEY is too short", id="a short key"),
        pytest.param("VARIORUM_DATA_DIR", __file__, "test_settings.py", id="a file for the data directory"),
    ],
)
def test_the_command_line_says_a_wrong_setting_in_a_sentence(tmp_path, name, value, says):
    ours = {key: value for key, value in os.environ.items() if not key.startswith("VARIORUM_")}
    environment = {**ours, "VARIORUM_DATA_DIR": str(tmp_path), name: value}
    told = subprocess.run(
        [sys.executable, ROOT / "manage.py", "migrate"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert says in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.services
def test_the_command_line_says_that_the_tables_are_missing(tmp_path):
    told = run("manage.py", "add_person", "dora", VARIORUM_DATA_DIR=str(tmp_path))
    assert (told.returncode, told.stderr.count("\n")) == (1, 2)
    assert "no such table" in told.stderr
    assert "`manage.py migrate`" in told.stderr


def test_a_python_without_django_is_told_where_the_other_is():
    told = run("-S", "manage.py", "migrate")
    assert (told.returncode, told.stderr) == (1, f"{manage.NO_DJANGO}\n")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://v%40x:p%2Fq@mail.example.org", ("mail.example.org", 587, "v@x", "p/q", True, False)),
        ("smtps://v@mail.example.org:4650", ("mail.example.org", 4650, "v", "", False, True)),
        ("smtp://localhost:25", ("localhost", 25, "", "", False, False)),
        ("", ("", 25, "", "", False, False)),
    ],
)
def test_a_mail_server_is_read_and_encrypts_but_on_this_machine(monkeypatch, url, expected):
    monkeypatch.setenv("VARIORUM_MAIL_URL", url)
    monkeypatch.setenv("VARIORUM_MAIL_FROM", "Variorum <variorum@example.org>")
    assert mail.mail_server()[1:7] == expected


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("VARIORUM_MAIL_URL", "imap://mail.example.org", "must look like smtp://"),
        ("VARIORUM_MAIL_URL", "smtp://mail.example.org:0x9", "the port is a number"),
        ("VARIORUM_MAIL_FROM", "nobody", "such as Variorum <variorum@example.org>"),
        ("VARIORUM_SITE", "variorum.example.org", "is no address of a site"),
        ("VARIORUM_SITE", "https://variorum.example.org/sub?x=1", "is no address of a site"),
    ],
)
def test_a_mail_server_or_site_that_cannot_be_is_refused(monkeypatch, name, value, sentence):
    monkeypatch.setenv("VARIORUM_MAIL_URL", "console:")
    monkeypatch.setenv("VARIORUM_MAIL_FROM", "variorum@example.org")
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=re.escape(sentence)):
        mail.mail_server(), mail.site()

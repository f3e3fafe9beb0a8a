"""What every test shares: plain static files, fast passwords, the cast."""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from datetime import timedelta
from functools import cache
from importlib import import_module

import django
import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.backends.signals import connection_created
from django.test import override_settings
from django.utils import timezone

from machines.endpoints import scripted
from retrieval.engine.dense import packages
from tests import builders, flushing, stack
from tests.retrieval import processes

# What is loaded while tests are collected stays: `settle` lets the collector begin when all are there.
gc.disable()

# The same examples on every machine, and no deadline: a busy machine is no failure.
hypothesis.settings.register_profile(
    "variorum",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("variorum")


DATABASE_FILE = "variorum.sqlite3"
"""Its name in the data of an embedded installation."""
LARGE = {"test_demo", "test_demo_spans", "test_A01_matrix", "test_A02_gold_leak", "test_S02_safe_methods"}
"""Modules whose tests share what takes seconds to make."""
MAKE_TABLES = {"migrations", "models", "sqlite", "models.py", "apps.py", "settings.py"}
"""Folders and files that decide what stands in a database in which nobody has done anything yet."""
DATABASE = {"db", "transactional_db", "django_db_setup", "live_server"}
"""Fixtures of pytest-django that open a database; every other one that does asks for one of them."""


@pytest.fixture(scope="session", autouse=True)
def own_redis(worker_id):
    """A database of Redis for each process of the tests: nobody's worker takes what another test has sent.

    From the first test on: whoever sends first opens the connections that Celery keeps.
    """
    url, number = os.environ.get("VARIORUM_REDIS_URL"), worker_id.removeprefix("gw")
    if not url or not number.isdecimal():
        yield
        return
    from variorum.celery import app

    own = f"{url.rpartition('/')[0]}/{int(number) + 1}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VARIORUM_REDIS_URL", own)
        patch.setattr(settings, "REDIS_URL", own)
        patch.setattr(app.conf, "broker_url", own)
        yield


def place(item):
    """Where a test stands among all."""
    return 0 if "/retrieval/dense/" in item.path.as_posix() else 1 if item.path.stem in LARGE else 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The encoders first: side by side they fall to one process, and the others need not load torch.

    Then what makes a whole site or demonstration for its module: at the end, where processes take tests from
    each other, two of them would make it.

    What a database can change is marked before `-m` chooses by it: the rest says on PostgreSQL what it said
    on SQLite.
    """
    items.sort(key=place)
    for item in items:
        if item.get_closest_marker("django_db") or not DATABASE.isdisjoint(item.fixturenames):
            item.add_marker("database")


def pytest_collection_finish():
    settle()
    gc.set_threshold(400_000, 20, 50)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Run a test as pytest does, with room for its frames."""
    runner = item.config.pluginmanager.getplugin("runner")
    return stack.roomy(runner.pytest_runtest_protocol, item, nextitem)


def pytest_runtest_setup():
    if "torch" in sys.modules:
        settle_torch()


def settle():
    """What is loaded by now stays: the collector need not look through it, nor start so often."""
    gc.collect()
    gc.freeze()


@cache
def settle_torch():
    """Of its loggers 58 do not propagate, and pytest adds its handlers to each of them three times a test."""
    settle()
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("torch") and isinstance(logger, logging.Logger):
            logger.propagate = True


@pytest.fixture(autouse=True, scope="session")
def emptied_tables():
    """Tables that refuse to be emptied are emptied between tests."""
    with pytest.MonkeyPatch.context() as patch:
        flushing.take_guards_aside(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def plain_settings(tmp_path_factory):
    # Whoever is refused on purpose thousands of times fills no log with it.
    logging.getLogger("django.request").setLevel(logging.ERROR)
    with override_settings(
        STORAGES={
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DATA_DIR=tmp_path_factory.mktemp("data"),
        ALLOWED_HOSTS=["testserver", "localhost", "127.0.0.1"],
    ):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_packaged_models():
    """The same checkpoints on every machine, whatever is installed there."""
    packaged, packages.PACKAGED = packages.PACKAGED, ()
    yield
    packages.PACKAGED = packaged


def forgetting_models():
    """What is registered from here on is forgotten at the end: the next test finds no model of this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scripted, "_REGISTERED", dict(scripted._REGISTERED))
        yield


own_models = pytest.fixture(autouse=True)(forgetting_models)
own_models_of_module = pytest.fixture(autouse=True, scope="module")(forgetting_models)


@pytest.fixture(scope="session")
def kept_tables(request):
    """A file for SQLite’s tables as this very code makes them, which takes every process seconds.

    Migrations make them, and models name the permissions in them: other code may change, and they stay. None
    where pytest's cache is switched off.
    """
    cache = getattr(request.config, "cache", None)
    if cache is None:
        return None
    code = hashlib.sha256(django.__version__.encode())
    for app in ("annotation", "common", "evaluation", "machines", "retrieval", "variorum"):
        for path in sorted((settings.BASE_DIR / app).rglob("*.py")):
            if MAKE_TABLES & {*path.parts, path.name}:
                code.update(path.read_bytes())
    return cache.mkdir("database") / f"{code.hexdigest()}.sqlite3"


@pytest.fixture(scope="session")
def kept_database(kept_tables):
    """That file for the tests' own database, too; None on PostgreSQL."""
    return kept_tables if connection.vendor == "sqlite" else None


@pytest.fixture(scope="session")
def embedded(kept_tables, tmp_path_factory):
    """`embedded(folder)` makes it the data of an embedded installation: migrated, and nothing done in it."""
    kept = kept_tables or tmp_path_factory.mktemp("tables") / "kept.sqlite3"

    def make(folder):
        if not kept.exists():
            home = tmp_path_factory.mktemp("migrated")
            command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
            subprocess.run(command, cwd=settings.BASE_DIR, env=processes.alone(home), check=True)
            keep(lambda file: copy(home / DATABASE_FILE, file), kept)
        copy(kept, folder / DATABASE_FILE)
        return folder

    return make


def copy(file, to):
    with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(to)) as new:
        old.backup(new)
        new.execute("DELETE FROM sqlite_sequence")
        new.commit()


def keep(write, kept):
    """Have a file written, which is there at once and whole, in place of those of other code."""
    new = kept.with_suffix(f".{os.getpid()}")
    write(new)
    for old in kept.parent.glob("*.sqlite3"):
        old.unlink(missing_ok=True)
    new.replace(kept)


@pytest.fixture(scope="session")
def filled(kept_database):
    """From here on a new connection finds the kept tables, and `migrate` has nothing to do."""

    def fill(connection, **_):
        with closing(sqlite3.connect(kept_database)) as file:
            file.backup(connection.connection)

    if kept_database is None or not kept_database.exists():
        return
    connection_created.connect(fill, weak=False, dispatch_uid="filled")


@pytest.fixture(scope="session")
def django_db_setup(kept_database, filled, django_db_setup, django_db_blocker):
    """pytest-django's own database, filled and kept."""
    if connection_created.disconnect(dispatch_uid="filled") or kept_database is None:
        return

    def write(new):
        with closing(sqlite3.connect(new)) as file:
            connection.ensure_connection()
            connection.connection.backup(file)

    with django_db_blocker.unblock():
        keep(write, kept_database)


@pytest.fixture(scope="module")
def ground(django_db_setup, django_db_blocker):
    """Lets fixtures of a whole module write; what they wrote is taken back at the module's end.

    Its tests are marked `django_db` all the same: where none is, there is no database but the real one.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def ada(db):
    return builders.person("Ada")


@pytest.fixture
def ben(db):
    return builders.person("Ben")


@pytest.fixture
def cleo(db):
    return builders.person("Cleo")


@pytest.fixture
def dora(db):
    """Researches: may set studies up."""
    return builders.researcher("Dora")


@pytest.fixture
def stan(db):
    """Staff: loads books, launches jobs."""
    return builders.person("Stan", is_staff=True)


@pytest.fixture
def eve(db):
    """Enrolled elsewhere: must see nothing of anybody's study."""
    user = builders.person("Eve")
    elsewhere = builders.study("elsewhere", items=1, overlap=1)
    builders.enrolment(elsewhere, user)
    return user


def session_of(user):
    """The key of a new session: one row, for which Django's own client takes fifteen statements."""
    said = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    key, ends = uuid.uuid4().hex, timezone.now() + timedelta(days=1)
    data = import_module(settings.SESSION_ENGINE).SessionStore().encode(said)
    return Session.objects.create(session_key=key, session_data=data, expire_date=ends).pk


@pytest.fixture
def as_user(client):
    """`as_user(ada)` is a browser in which Ada is signed in."""

    def sign_in(user):
        client.cookies[settings.SESSION_COOKIE_NAME] = session_of(user)
        return client

    return sign_in

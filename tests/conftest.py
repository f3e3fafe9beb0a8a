"""What every test shares: plain static files, fast passwords, the cast."""

from __future__ import annotations

import gc
import logging

import hypothesis
import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from tests import builders

# The same examples on every machine, and no deadline: a busy machine is no failure.
hypothesis.settings.register_profile(
    "variorum", deadline=None, derandomize=True, database=None, max_examples=60
)
hypothesis.settings.load_profile("variorum")


def pytest_collection_finish():
    """What is loaded by now stays: the collector need not look through it, nor start so often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    # Of torch's loggers 58 do not propagate, and pytest adds its handlers to each of them three times a test.
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("torch") and isinstance(logger, logging.Logger):
            logger.propagate = True


@pytest.fixture(autouse=True, scope="session")
def plain_settings():
    # Whoever is refused on purpose thousands of times fills no log with it.
    logging.getLogger("django.request").setLevel(logging.ERROR)
    with override_settings(
        STORAGES={
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        ALLOWED_HOSTS=["testserver", "localhost", "127.0.0.1"],
    ):
        yield


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


@pytest.fixture
def as_user(client):
    """`as_user(ada)` is a browser in which Ada is signed in."""

    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in

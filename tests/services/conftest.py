"""A database of Redis for each process of the tests: nobody's worker takes what another test has sent."""

from __future__ import annotations

import os

import pytest
from django.conf import settings

NAME = "VARIORUM_REDIS_URL"


@pytest.fixture(scope="session", autouse=True)
def own_redis(worker_id):
    """The first one, 0, is left to the tests that only send."""
    from variorum.celery import app

    url, number = os.environ.get(NAME), worker_id.removeprefix("gw")
    if not url or not number.isdecimal():
        yield
        return
    own = f"{url.rpartition('/')[0]}/{int(number) + 1}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, own)
        patch.setattr(settings, "REDIS_URL", own)
        patch.setattr(app.conf, "broker_url", own)
        yield

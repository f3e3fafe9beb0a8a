"""S02: looking changes nothing. GET, HEAD and OPTIONS at every address, by everybody, write no row."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.variorum.whole_site import addresses, things, walk  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
READS = ("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT", "EXPLAIN", "DECLARE")
"""DECLARE opens PostgreSQL's cursor over a SELECT."""


def browser_of(who):
    browser = Client()
    if who != "anon":
        browser.force_login(User.objects.get(username=who))
    return browser


def writes(queries):
    return [each["sql"] for each in queries if not each["sql"].startswith(READS)]


def lasting(things):  # noqa: F811
    """All addresses but the sign-in link, whose purpose is a session."""
    return [each for each in addresses(things) if not each.startswith("/signin/")]


@pytest.mark.parametrize("who", ["anon", "ada", "cleo", "dora", "stan", "eve"])
def test_following_every_link_writes_nothing(who, things):  # noqa: F811
    browser = browser_of(who)
    with CaptureQueriesContext(connection) as queries:
        seen = dict(walk(browser, ["/", *lasting(things)]))
    assert writes(queries) == []
    assert [address for address, response in seen.items() if response.status_code >= 500] == []


@pytest.mark.parametrize("who", ["anon", "ada", "dora", "stan"])
@pytest.mark.parametrize("method", ["head", "options"])
def test_asking_about_an_address_writes_nothing(who, method, things):  # noqa: F811
    browser = browser_of(who)
    with CaptureQueriesContext(connection) as queries:
        for address in lasting(things):
            getattr(browser, method)(address)
    assert writes(queries) == []


@pytest.mark.parametrize("who", ["ada", "dora", "stan"])
def test_no_link_on_a_page_leads_nowhere(who, things):  # noqa: F811
    """Forms may be POST only; whatever is linked is there."""
    broken = [
        (address, response.status_code)
        for address, response in walk(browser_of(who), ["/"])
        if response.status_code in {400, 403, 404, 500}
    ]
    assert broken == []

"""S02: looking changes nothing. GET, HEAD and OPTIONS at every address, by everybody, write no row but the
record's own of what was refused or taken away."""

from __future__ import annotations

import re
from functools import cache

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.thorough import thorough
from tests.variorum.whole_site import addresses, browser_of, walk

pytestmark = pytest.mark.django_db
READS = ("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT", "EXPLAIN", "DECLARE")
"""DECLARE opens PostgreSQL's cursor over a SELECT."""
RECORDED = re.compile(r"""INSERT INTO "annotation_event" .*'(refused|download)', """)


def writes(queries):
    written = [each["sql"] for each in queries if not each["sql"].lstrip("( \n").startswith(READS)]
    return [sql for sql in written if not RECORDED.match(sql)]


@pytest.fixture(scope="module")
def walked(things):
    """`walked(who)`: every reply to GET of all that person can reach, and what was written; asked once."""

    @cache
    def walk_as(who):
        browser = browser_of(who)
        with CaptureQueriesContext(connection) as queries:
            seen = dict(walk(browser, ["/", *addresses(things)]))
        return seen, writes(queries)

    return walk_as


@pytest.mark.parametrize(
    "who", thorough(["anon", "ada", "cleo", "dora", "stan", "eve"], ["anon", "ada", "dora", "stan"])
)
def test_following_every_link_writes_nothing(who, walked):
    seen, written = walked(who)
    assert written == []
    assert [address for address, response in seen.items() if response.status_code >= 500] == []


@pytest.mark.parametrize("who", ["ada", "dora", "stan"])
def test_no_link_on_a_page_leads_nowhere(who, walked):
    """Forms may be POST only; whatever is linked is there."""
    seen, _ = walked(who)
    linked = Replay(seen)
    broken = [
        (address, response.status_code)
        for address, response in walk(linked, ["/"])
        if response.status_code in {400, 403, 404, 500}
    ]
    assert broken == []


class Replay(dict):
    """A browser that is answered from what was seen."""

    get = dict.__getitem__


@pytest.mark.parametrize("who", thorough(["anon", "ada", "dora", "stan"], ["anon", "dora"]))
@pytest.mark.parametrize("method", ["head", "options"])
def test_asking_about_an_address_writes_nothing(who, method, things):
    browser = browser_of(who)
    with CaptureQueriesContext(connection) as queries:
        for address in addresses(things):
            getattr(browser, method)(address)
    assert writes(queries) == []

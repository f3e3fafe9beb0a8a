"""S02: looking changes nothing. GET, HEAD and OPTIONS at every address, by everybody, write no row but the
record's own of what was refused or taken away.

A02: what a reader reaches by links says nothing of gold, origins or colleagues, on the same walk.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import pytest
from django.db import connection
from django.http.response import HttpResponseBase

from tests.thorough import as_thorough, thorough
from tests.variorum.canaries import CANARY, NUMBER, leaks, told
from tests.variorum.whole_site import addresses, browser_of, walk

pytestmark = pytest.mark.django_db
READS = ("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO", "EXPLAIN", "DECLARE")
"""DECLARE opens PostgreSQL's cursor over a SELECT."""
MARK = re.compile(rf"{CANARY}-[a-z]++|{re.escape(str(NUMBER))}|8675309421")
RECORDED = re.compile(r"""INSERT INTO "annotation_event" .*'(refused|download)', """)


@contextmanager
def writing():
    """What is sent to the database meanwhile that reads nothing.

    Without Django's list of queries: on SQLite it asks one more for each, to write its values into it.
    """
    written = []

    def look(execute, sql, params, many, context):
        if not sql.lstrip("( \n").startswith(READS):
            written.append(f"{sql} {params}")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield written
    written[:] = [each for each in written if not RECORDED.match(each)]


class Walk(NamedTuple):
    """What somebody met: every reply, what was written meanwhile, and where a canary was seen."""

    seen: dict[str, HttpResponseBase]
    written: list[str]
    leaks: list[str]
    canaries: set[str]


@pytest.fixture(scope="module")
def walked(secrets):
    """`walked(who)`: every reply to GET of all that person can reach, asked for once."""

    @cache
    def walk_as(who):
        browser = browser_of(who)
        with writing() as written:
            walk_of = Walk({}, written, [], set())
            for address, response in walk(browser, ["/", *addresses(secrets)]):
                text = told(address, response)
                walk_of.seen[address] = response
                walk_of.leaks.extend(leaks([text]))
                walk_of.canaries.update(MARK.findall(text))
        return walk_of

    return walk_as


EVERYBODY = ["anon", "ada", "cleo", "dora", "stan", "eve"]


@pytest.mark.parametrize("who", thorough(EVERYBODY, ["anon", "ada", "dora"]))
def test_following_every_link_writes_nothing(who, walked):
    found = walked(who)
    assert found.written == []
    assert [address for address, response in found.seen.items() if response.status_code >= 500] == []


@pytest.mark.parametrize("who", thorough(["ada", "cleo", "eve", "anon"], ["ada", "anon"]))
def test_A02_no_page_that_can_be_reached_tells_a_secret(who, walked):
    found = walked(who)
    assert len(found.seen) > 40
    assert found.leaks == []


def test_A02_the_canaries_are_seen_where_they_may_be(walked):
    """Or the test above would pass with its eyes shut."""
    secret = {f"{CANARY}-{each}" for each in ("role", "reason", "note", "token", "why")}
    assert secret < walked("dora").canaries
    assert {str(NUMBER), "8675309421"} & walked("dora").canaries


@pytest.mark.parametrize("who", thorough(["ada", "dora", "stan"], ["ada", "dora"]))
def test_no_link_on_a_page_leads_nowhere(who, walked):
    """Forms may be POST only; whatever is linked is there."""
    linked = Replay(walked(who).seen)
    broken = [
        (address, response.status_code)
        for address, response in walk(linked, ["/"])
        if response.status_code in {400, 403, 404, 500}
    ]
    assert broken == []


class Replay(dict):
    """A browser that is answered from what was seen."""

    get = dict.__getitem__


@pytest.mark.parametrize(
    ("method", "who"),
    [
        # Django answers HEAD by the code of GET, and what Dora gets is walked above.
        *(("head", "anon"), as_thorough(("head", "ada")), as_thorough(("head", "dora"))),
        *(("options", "anon"), as_thorough(("options", "ada")), ("options", "dora")),
        *(as_thorough(("head", "stan")), as_thorough(("options", "stan"))),
    ],
)
def test_asking_about_an_address_writes_nothing(method, who, things):
    browser = browser_of(who)
    with writing() as written:
        for address in addresses(things):
            getattr(browser, method)(address)
    assert written == []

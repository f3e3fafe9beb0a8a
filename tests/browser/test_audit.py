"""axe finds nothing on any page of any role, light and dark, wide and narrow. A new address is added here."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from django.urls import reverse

from tests.browser import axe, chromium
from tests.routes import routes


class Visit(NamedTuple):
    """Who looks at an address. `args` name things of `scenery`, in the order of the address."""

    who: str | None
    args: tuple[str, ...] = ()
    query: str = ""
    status: int = 200


def each(who: str | None, *args: str) -> list[Visit]:
    """One visit for each of the things."""
    return [Visit(who, (arg,)) for arg in args]


READER, OTHER, NEW = "ada-of-the-harbour", "cleo-of-the-harbour", "eva-of-the-draft"
MARKED = "?at=40&size=3"
SOUGHT = "?claim=the+sea+and+the+night&size=3"
STUDIES = ("=harbour", "=tide-simulated", "=closed-harbour", "draft", "ready")
PAGES: dict[str, list[Visit]] = {
    "home": [Visit(who) for who in ("ada", READER, OTHER, NEW, "dora", "stan", "nobody")],
    "login": [Visit(None)],
    "signin": [Visit(None, ("=ended",), status=403)],
    "api:page": [Visit(None)],
    "annotation:work": [*each(READER, "place", "judged"), *each(OTHER, "read_in_closed")],
    "annotation:begin": [
        *each("ada", "=tide"), *each(READER, "=harbour"), *each(OTHER, "=closed-harbour"),
        *each("dora", "=harbour"), *each(NEW, "ready"),
    ],
    "annotation:done": [*each("ada", "=tide"), *each(READER, "=harbour"), *each(OTHER, "=closed-harbour")],
    "annotation:join": [
        *each(None, "invitation", "ended_invitation"), *each("nobody", "invitation", "ended_invitation"),
    ],
    "annotation:studies": [Visit("dora")],
    "annotation:build": [Visit("dora")],
    "annotation:study": each("dora", *STUDIES),
    "annotation:open": each("dora", "draft", "ready", "=harbour"),
    "annotation:close": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:invite": each("dora", "=harbour", "=closed-harbour", "ready", "draft"),
    "annotation:guidelines": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:items": each("dora", "=harbour", "=tide-simulated", "draft"),
    "annotation:item": [Visit("dora", ("=harbour", "=1")), Visit("dora", ("=tide-simulated", "item"))],
    "annotation:notes": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:export": each("dora", "=harbour", "=tide-simulated", "draft"),
    "annotation:tokens": [Visit("dora"), Visit("ada")],
    "evaluation:results": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:microscope": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:apparatus": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:apparatus_item": [
        Visit("dora", ("=harbour", "=1")), Visit("dora", ("=tide-simulated", "item")),
        Visit("dora", ("=sermon-simulated", "=1")),
    ],
    "evaluation:ranking": each("dora", "done_job", "queued_job"),
    "retrieval:books": [Visit("stan"), Visit("dora")],
    "retrieval:import_book": [Visit("stan")],
    "retrieval:book": [*each("stan", "book"), *each("dora", "book"), Visit("dora", ("book",), MARKED)],
    "retrieval:book_parts": [*each("stan", "book", "loose_book"), *each("dora", "book")],
    "retrieval:generate": each("stan", "book"),
    "retrieval:search": [
        *each("stan", "book"), Visit("dora", ("book",), SOUGHT),
        Visit("dora", ("book",), "?claim=zzyzx", status=422),
    ],
    "retrieval:sources": [Visit("stan"), Visit("dora")],
    "retrieval:import_source": [Visit("stan")],
    "retrieval:source": [*each("stan", "source"), *each("dora", "source")],
    "retrieval:find_excerpts": each("stan", "source"),
    "retrieval:matches": [Visit("stan"), Visit("dora")],
    "retrieval:source_matches": [
        *each("stan", "source"), *each("dora", "source"), Visit("dora", ("source",), "?book=unknown"),
    ],
    "retrieval:exclude": each("stan", "source"),
    "retrieval:take": [Visit("stan", ("source", "book", "drop_start", "drop_end"))],
    "retrieval:collection": [Visit("stan"), Visit("dora")],
    "retrieval:import_relic": [Visit("stan")],
    "retrieval:excerpts": [
        Visit("stan"), Visit("dora", (), "?book=unknown"), Visit("dora", (), "?standing=all"),
    ],
    "retrieval:excerpt": [
        *each("dora", "excerpt"), *each("stan", "excerpt", "rejected", "superseded", "moved"),
    ],
    "retrieval:excerpt_borders": each("stan", "excerpt"),
    "retrieval:jobs": [Visit("stan"), Visit("dora"), Visit("dora", (), "?book=unknown")],
    "retrieval:job": [
        *each("stan", "done_job", "queued_job", "running_job", "failed_job", "cancelled_job"),
        *each("dora", "done_job"),
    ],
}  # fmt: skip
NO_PAGES = {
    "logout": "a POST",
    "annotation:later": "a POST",
    "annotation:revoke": "a POST",
    "annotation:revoke_token": "a POST",
    "retrieval:excerpt_reject": "a POST",
    "retrieval:excerpt_restore": "a POST",
    "retrieval:lift": "a POST",
    "retrieval:job_cancel": "a POST",
    "retrieval:job_retry": "a POST",
    "retrieval:job_progress": "a part of retrieval:job",
}
ON_THE_FIRST_DAY = [
    ("home", "dora"), ("home", "stan"), ("annotation:studies", "dora"), ("annotation:build", "dora"),
    ("annotation:tokens", "dora"), ("retrieval:books", "stan"), ("retrieval:books", "dora"),
    ("retrieval:sources", "stan"), ("retrieval:excerpts", "stan"), ("retrieval:jobs", "stan"),
    ("retrieval:matches", "stan"), ("retrieval:collection", "stan"),
]  # fmt: skip
VISITS = [(name, visit) for name, visits in PAGES.items() for visit in visits]


def named(value: object) -> str | None:
    if isinstance(value, Visit):
        return "-".join([value.who or "anybody", *value.args]) + value.query
    return None


def test_every_address_is_audited_or_is_no_page():
    known = set(PAGES) | set(NO_PAGES)
    pages = {name for name in routes() if not name.startswith("api:")} | {"api:page"}
    assert pages == known, "Add the new address to PAGES, with who sees it."


@pytest.fixture(scope="module")
def look(site, browser, world):
    """`look(name, seen)`: the page as that person sees it, in a browser that they keep, with a warm cache."""
    browsers = {}

    def at(name, seen):
        if seen.who not in browsers:
            browsers[seen.who] = chromium.opened(browser, site, seen.who, reduced_motion="reduce")
        page, watch = browsers[seen.who]
        watch.complaints.clear()
        args = [arg[1:] if arg.startswith("=") else world[arg] for arg in seen.args]
        reply = page.goto(reverse(name, args=args) + seen.query)
        assert reply.status == seen.status
        return page, watch

    yield at
    for page, _ in browsers.values():
        page.context.close()


@pytest.mark.parametrize(("name", "seen"), VISITS, ids=named)
def test_axe_finds_nothing(look, name, seen):
    page, watch = look(name, seen)
    assert page.locator("h1").count() == 1
    assert axe.audit(page) == []
    if page.evaluate(axe.OPEN):
        assert axe.violations(page) == []
    assert watch.complaints == []


@pytest.mark.parametrize(("name", "who"), ON_THE_FIRST_DAY)
def test_axe_finds_nothing_where_nothing_is_yet(visit, empty_site, name, who):
    page = visit(who, at=empty_site, reduced_motion="reduce")
    page.goto(reverse(name))
    assert axe.audit(page) == []


def test_axe_finds_nothing_on_the_page_that_is_not_there(visit):
    page = visit("ada", reduced_motion="reduce")
    page.goto("/nowhere/")
    assert axe.audit(page) == []

"""axe finds nothing on any page of any role, in any colours, wide and narrow. A new address is added here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Response

from tests.browser import axe, chromium
from tests.browser.scenery_adjudicating import JO
from tests.routes import routes


class Visit(NamedTuple):
    """Who looks at an address. `args` name things of `scenery`, in the order of the address; `=` is the thing
    itself, and `#` the code of a link, which leads on to another page."""

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
MEASURED = "?qrels=experts&run=bm25&run=rm3&base=bm25&depth=2&facet=specificity"
BEING_ENCODED = "?claim=the+sea&size=3&ranker=dense:trained"
MACHINE = ("=tide-simulated", "=M1")
STUDIES = ("=harbour", "=tide-simulated", "=closed-harbour", "draft", "ready")
PAGES: dict[str, list[Visit]] = {
    "home": [Visit(who) for who in ("ada", READER, OTHER, NEW, JO, "dora", "stan", "nobody")],
    "login": [Visit(None)],
    "signin": [Visit(None, ("#signin_link",)), Visit(None), Visit("ada", ("#signin_link",))],
    "signin_before": [Visit(None, ("=ended",), status=403)],
    "new_password": [Visit(None, ("#password_link",)), Visit(None), Visit("ada", ("#password_link",))],
    "password": [Visit("ada"), Visit("seth")],
    "api:page": [Visit(None)],
    "annotation:feedback": [*each("gil-of-the-ferry", "missed"), *each("hal-of-the-ferry", "passed")],
    "annotation:consent": [*each("fay-of-the-ferry", "=ferry"), *each("hal-of-the-ferry", "=ferry")],
    "annotation:own_page": [*each("hal-of-the-ferry", "=ferry"), *each(READER, "=harbour")],
    "annotation:notebook": [*each(READER, "=harbour"), Visit(READER, ("=harbour",), "?q=no+such+words")],
    "annotation:leave": [*each("hal-of-the-ferry", "=ferry"), *each(READER, "=harbour")],
    "annotation:declined": each("fay-of-the-ferry", "=ferry"),
    "annotation:work": [
        *each("hal-of-the-ferry", "changed"), *each(READER, "place", "judged"),
        *each(OTHER, "read_in_closed"),
    ],
    "annotation:begin": [
        *each("ada", "=tide"), *each(READER, "=harbour"), *each(OTHER, "=closed-harbour"),
        *each("dora", "=harbour"), *each(NEW, "ready"),
    ],
    "annotation:done": [*each("ada", "=tide"), *each(READER, "=harbour"), *each(OTHER, "=closed-harbour")],
    "annotation:decisions": [
        *each(OTHER, "=closed-harbour"),
        *each("sim-tide-simulated-1", "=tide-simulated"),
        *each("sim-sermon-simulated-1", "=sermon-simulated"),
    ],
    "annotation:adjudicate": [
        *each(JO, "=harbour", "=tide-simulated", "=sermon-simulated"), *each("dora", "=harbour", "draft"),
    ],
    "annotation:adjudicate_item": [
        *(Visit(JO, ("=tide-simulated", name)) for name in ("choice_waits", "choice_settled", "choice_left")),
        *(Visit(JO, ("=sermon-simulated", name)) for name in ("span_waits", "span_settled", "span_left")),
        Visit(JO, ("=harbour", "open_waits")),
    ],
    "annotation:join": [
        *each(None, "#invitation", "#ended_invitation"), Visit(None),
        *each("nobody", "#invitation", "#ended_invitation"),
    ],
    "annotation:withdraw": [*each("ada", "=tide"), *each(READER, "=harbour")],
    "annotation:studies": [Visit("dora")],
    "evaluation:plan": [
        Visit("dora"), Visit("dora", (), "?answers=spans"), Visit("dora", (), "?kappa=.1", 422),
        Visit("dora", (), "?pilot=tide-simulated&readers=5"),
    ],
    "annotation:build": [Visit("dora")],
    "annotation:setup": each("dora", *STUDIES, "=ferry"),
    "annotation:step": [
        Visit("dora", (study, f"={step}")) for study in ("=ferry", "draft")
        for step in ("basics", "reading", "practice", "questions")
    ],
    "annotation:setup_items": each("dora", "draft", "=ferry", "=bare", "=harbour", "=closed-harbour"),
    "annotation:sample": each("dora", "draft", "=ferry"),
    "annotation:setup_consent": each("dora", "draft", "=ferry", "=closed-harbour"),
    "annotation:people": each("dora", "=ferry", "=harbour", "=tide-simulated"),
    "annotation:duplicate": each("dora", "=harbour"),
    "annotation:delete": each("dora", "=harbour", "draft"),
    "annotation:study": each("dora", *STUDIES),
    "annotation:open": each("dora", "draft", "ready", "=harbour"),
    "annotation:close": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:invite": each("dora", "=harbour", "=closed-harbour", "ready", "draft"),
    "annotation:recruiting": each("dora", "=harbour", "=closed-harbour"),
    "annotation:mail": each("dora", "=harbour", "draft"),
    "annotation:mail_template": [Visit("dora", ("=harbour", "=reminded"))],
    "annotation:own_mail": each(READER, "=harbour"),
    "annotation:stop_mail": each(None, "stop"),
    "annotation:confirm_mail": each(None, "confirm"),
    "annotation:guidelines": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:erase": [Visit("dora", ("=harbour", "=A")), Visit("dora", ("ready", "=A"))],
    "annotation:items": each("dora", "=harbour", "=tide-simulated", "draft"),
    "annotation:leaks": each("dora", "ready", "=harbour", "draft", "=ferry"),
    "annotation:item": [
        Visit("dora", ("=ferry", "=1")), Visit("dora", ("ready", "=2")),
        Visit("dora", ("=harbour", "=1")), Visit("dora", ("=tide-simulated", "item"))
    ],
    "annotation:workbench": [
        *each("dora", "=tide-flawed", "=harbour", "draft"), *each("stan", "=tide-flawed"),
    ],
    "annotation:workbench_item": [
        *(Visit("dora", ("=tide-flawed", name)) for name in ("flawed", "flawed_out", "flawed_old")),
        *(Visit(who, ("=tide-flawed", "flawed_new")) for who in ("dora", "stan")),
        Visit("dora", ("=sermon-simulated", "=1")),
    ],
    "annotation:notes": each("dora", "=harbour", "=closed-harbour", "draft"),
    "annotation:machines": each("dora", "=tide-simulated", "=harbour"),
    "annotation:machine_prompt": each("dora", "=tide-simulated", "=harbour"),
    "annotation:new_machine_reader": each("dora", "=tide-simulated"),
    "annotation:import_answers": each("dora", "=tide-simulated", "=harbour"),
    "annotation:machine_reader": [Visit("dora", MACHINE), Visit("dora", ("=tide-simulated", "=M2"))],
    "annotation:machine_readings": [Visit("dora", MACHINE), Visit("dora", MACHINE, "?state=unreadable")],
    "annotation:delete_machine": [Visit("dora", MACHINE)],
    "annotation:export": each("dora", "=harbour", "=tide-simulated", "draft"),
    "annotation:record": each("dora", "=harbour", "=tide-simulated"),
    "annotation:webhooks": each("dora", "=harbour", "=tide-simulated"),
    "annotation:site_record": [Visit("root"), Visit("root", (), "?verb=close")],
    "annotation:tokens": [Visit("dora"), Visit("ada")],
    "annotation:preferences": [Visit("ada")],
    "evaluation:watch": each("dora", *STUDIES, "=sermon-simulated", "=lamps"),
    "annotation:messages": [*each(READER, "=harbour"), *each("ada", "=tide")],
    "evaluation:results": each("dora", *STUDIES, "=sermon-simulated", "=lamps"),
    "evaluation:microscope": each("dora", *STUDIES, "=sermon-simulated", "=lamps"),
    "evaluation:bundle": each("dora", "=tide-simulated"),
    "evaluation:qrels": each("dora", "=lamps", "=harbour"),
    "evaluation:span_queries": each("dora", "=sermon-simulated", "=harbour"),
    "evaluation:apparatus": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:apparatus_item": [
        Visit("dora", ("=harbour", "=1")), Visit("dora", ("=tide-simulated", "item")),
        Visit("dora", ("=sermon-simulated", "=1")),
    ],
    "evaluation:stopping": each("dora", "draft", "ready", "=harbour"),
    "evaluation:difficulty": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:cues": each("dora", *STUDIES, "=sermon-simulated"),
    "evaluation:paper": [
        *each("dora", *STUDIES, "=sermon-simulated"), Visit("dora", ("=tide-simulated",), "?layout=relic-3"),
    ],
    "evaluation:validation": each("dora", "=lamps", "=harbour"),
    "evaluation:ranking": each("dora", "done_job", "queued_job"),
    "retrieval:book_delete": each("stan", "book"),
    "retrieval:source_delete": each("stan", "source"),
    "retrieval:excerpt_delete": each("stan", "excerpt", "rejected"),
    "retrieval:job_delete": each("stan", "done_job", "cancelled_job"),
    "retrieval:loading_delete": each("stan", "done_search", "done_import"),
    "retrieval:training_delete": each("stan", "done_training"),
    "retrieval:words_delete": each("stan", "words"),
    "retrieval:deletions": [Visit("stan"), Visit("dora")],
    "machines:models": [Visit("stan")],
    "retrieval:find_many": [Visit("stan")],
    "retrieval:launch": [Visit("stan")],
    "retrieval:books": [Visit("stan"), Visit("dora")],
    "retrieval:import_book": [Visit("stan")],
    "retrieval:book": [*each("stan", "book"), *each("dora", "book"), Visit("dora", ("book",), MARKED)],
    "retrieval:book_parts": [*each("stan", "book", "loose_book"), *each("dora", "book")],
    "retrieval:generate": each("stan", "book"),
    "retrieval:search": [
        *each("stan", "book"), Visit("dora", ("book",), SOUGHT),
        Visit("dora", ("book",), "?claim=zzyzx", status=422),
        *(Visit(who, ("book",), BEING_ENCODED) for who in ("stan", "dora")),
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
    "evaluation:runs": [
        Visit("dora", ("corpus", "topics")),
        Visit("dora", ("corpus", "topics"), MEASURED),
        Visit("dora", ("corpus", "topics"), "?qrels=experts&run=bm25&level=99", status=422),
    ],
    "evaluation:allusions": [
        Visit("dora", ("psalter", "psalms")),
        Visit("dora", ("psalter", "psalms"), "?table=4&system=tfidf&paper=no"),
        Visit("dora", ("psalter", "psalms"), "?table=9", status=422),
        Visit("dora", ("corpus", "topics")),
    ],
    "evaluation:allusion_runs": [
        Visit("stan", ("psalter", "psalms")),
        Visit("stan", ("psalter", "psalms"), "?depth=0", status=422),
    ],
    "evaluation:evaluation": each("dora", "evaluation", "waiting_evaluation", "failed_evaluation"),
    "corpora:corpora": [Visit("stan"), Visit("dora")],
    "corpora:corpus": [*each("dora", "corpus"), Visit("dora", ("corpus",), "?id=none")],
    "corpora:document": [Visit("dora", ("corpus", "=2"))],
    "retrieval:corpus_searches": each("stan", "corpus"),
    "retrieval:corpus_search": [*each("stan", "search"), *each("dora", "search")],
    "retrieval:reranking": each("stan", "corpus"),
    "retrieval:recall": each("stan", "corpus"),
    "retrieval:endpoint_job": [*each("stan", "asked"), *each("dora", "asked")],
    "retrieval:question_sets": each("dora", "corpus"),
    "retrieval:question_set": each("dora", "questions"),
    "retrieval:question_set_write": each("stan", "questions"),
    "retrieval:question_set_export": each("dora", "questions"),
    "retrieval:question": [Visit("dora", ("questions", "=1"))],
    "corpora:expansion": [*each("dora", "corpus"), Visit("dora", ("corpus",), "?fb_docs=0", 422)],
    "corpora:run": [Visit("dora", ("corpus", "run"))],
    "corpora:pool": [Visit("dora", ("corpus", "topics", "pool"))],
    "corpora:load_file": each("dora", "corpus"),
    "corpora:new_topics": [Visit("dora")],
    "corpora:add_topic": each("dora", "topics"),
    "corpora:topics": each("dora", "topics"),
    "corpora:topic": [Visit("dora", ("topics", "=1"))],
    "retrieval:collection": [Visit("stan"), Visit("dora")],
    "retrieval:import_relic": [Visit("stan")],
    "retrieval:excerpts": [
        Visit("stan"), Visit("dora", (), "?book=unknown"), Visit("dora", (), "?standing=all"),
    ],
    "retrieval:excerpt": [
        *each("dora", "excerpt"), *each("stan", "excerpt", "rejected", "superseded", "moved"),
    ],
    "retrieval:excerpt_borders": each("stan", "excerpt"),
    "retrieval:trainings": [Visit("stan"), Visit("dora")],
    "retrieval:train": [Visit("stan")],
    "retrieval:training": [
        *each("stan", "done_training", "queued_training", "running_training", "failed_training"),
        *each("dora", "done_training"),
    ],
    "retrieval:loading": [
        *each("stan", "done_search", "queued_search", "running_search", "failed_search", "cancelled_search"),
        *each("stan", "queued_import", "failed_import", "done_import"), *each("dora", "done_search"),
    ],
    "retrieval:jobs": [Visit("stan"), Visit("dora"), Visit("dora", (), "?book=unknown")],
    "retrieval:job": [
        *each("stan", "done_job", "queued_job", "running_job", "failed_job", "cancelled_job"),
        *each("dora", "done_job"),
    ],
}  # fmt: skip
NO_PAGES = {
    **{f"annotation:{name}": "a POST" for name in ("test_webhook", "resend_message", "end_webhook")},
    "annotation:notebook_file": "a file",
    "annotation:source": "test_lookup looks at it",
    "retrieval:training_cancel": "a POST",
    "retrieval:training_retry": "a POST",
    "retrieval:training_progress": "a part of retrieval:training",
    "logout": "a POST",
    "signin_by": "where signin leads",
    "new_password_by": "where new_password leads",
    **{
        f"annotation:{name}_before": f"leads to annotation:{name}"
        for name in (
            "join",
            "adjudicate",
            "adjudicate_item",
            "decisions",
            "message",
            "messages",
            "prefetch",
            "remove_items",
        )
    },
    "annotation:invited": "where annotation:join leads",
    "annotation:act": "a POST",
    "annotation:along": "a POST",
    "annotation:worker": "no page: a script",
    "annotation:take_back": "a POST",
    "annotation:later": "a POST",
    "annotation:keep": "a POST",
    "annotation:group_seen": "a POST",
    "annotation:neighbour": "a POST",
    "annotation:earlier": "test_asides looks at it",
    "annotation:prefetch": "a part of annotation:work",
    "annotation:guidelines_read": "a POST",
    "annotation:draft": "a POST",
    "annotation:message": "a POST",
    "annotation:reply": "a POST",
    "annotation:revoke": "a POST",
    "annotation:payment_list": "a file",
    **{f"annotation:{name}": "a POST" for name in ("reopen", "restore", "remove_items", "person")},
    **{f"annotation:{name}": "a POST" for name in ("explain", "cover")},
    "annotation:revoke_token": "a POST",
    "retrieval:excerpt_reject": "a POST",
    "retrieval:excerpt_restore": "a POST",
    "retrieval:excerpt_cover": "a POST",
    "retrieval:excerpt_uncover": "a POST",
    **{f"retrieval:excerpts_{act}": "a POST" for act in ("decide", "undo")},
    "retrieval:lift": "a POST",
    "retrieval:job_cancel": "a POST",
    "retrieval:job_retry": "a POST",
    "annotation:items_progress": "a part of annotation:setup_items",
    "annotation:leaks_progress": "a part of annotation:leaks",
    "machines:probe": "a POST",
    "annotation:machine_progress": "a part of annotation:machine_reader",
    "retrieval:job_progress": "a part of retrieval:job",
    "retrieval:loading_cancel": "a POST",
    "retrieval:loading_retry": "a POST",
    "retrieval:loading_progress": "a part of retrieval:loading",
    "evaluation:evaluation_cancel": "a POST",
    "evaluation:evaluation_retry": "a POST",
    "evaluation:evaluation_state": "a part of evaluation:evaluation",
    "retrieval:corpus_search_cancel": "a POST",
    "retrieval:endpoint_job_cancel": "a POST",
    "retrieval:endpoint_job_retry": "a POST",
    "retrieval:endpoint_job_state": "a part of retrieval:endpoint_job",
    "retrieval:corpus_search_retry": "a POST",
    "retrieval:corpus_search_state": "a part of retrieval:corpus_search",
    "retrieval:encode": "a POST",
    "retrieval:encoding_cancel": "a POST",
    "retrieval:encoding_progress": "a part of retrieval:search",
}
ON_THE_FIRST_DAY = [
    ("home", "dora"), ("home", "stan"), ("annotation:studies", "dora"), ("annotation:build", "dora"),
    ("annotation:tokens", "dora"), ("retrieval:books", "stan"), ("retrieval:books", "dora"),
    ("retrieval:sources", "stan"), ("retrieval:excerpts", "stan"), ("retrieval:jobs", "stan"),
    ("retrieval:trainings", "stan"), ("retrieval:train", "stan"),
    ("retrieval:matches", "stan"), ("retrieval:collection", "stan"),
]  # fmt: skip
VISITS = [(name, visit) for name, visits in PAGES.items() for visit in visits]


def go(page: Page, world: dict[str, Any], name: str, args: Sequence[str], query: str = "") -> Response:
    """Open an address as `Visit` writes it, and wait for where the code of a link leads."""
    path = [arg[1:] if arg.startswith("=") else world[arg] for arg in args if not arg.startswith("#")]
    code = "".join(f"#{world[arg[1:]]}" for arg in args if arg.startswith("#"))
    reply = page.goto(reverse(name, args=path) + query + code)
    assert reply is not None
    if code:
        page.wait_for_selector(":root:not([data-link])", state="attached")
    return reply


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
        assert go(page, world, name, seen.args, seen.query).status == seen.status
        return page, watch

    yield at
    for page, _ in browsers.values():
        page.context.close()


@pytest.mark.parametrize(("name", "seen"), VISITS, ids=named)
def test_axe_finds_nothing(look, name, seen):
    page, watch = look(name, seen)
    assert page.locator("h1").count() == 1
    assert axe.audit(page, forced=True) == []
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

"""The live page asks again by itself: nothing moves while nothing changed, and nobody loses their place."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.reading import stop_the_clock

POLL = "() => htmx.ajax('GET', location.pathname, {source: '#live', target: '#live'})"
MARK = "() => { document.querySelector('#live h2').dataset.old = ''; }"


def poll(page):
    """Ask as the page does by itself, and wait until what came is shown; the ETag of it."""
    with page.expect_response("**/watch/tide/") as reply:
        page.evaluate(POLL)
    return reply.value.headers["etag"]


def marked(page):
    """Mark what is shown, and ask again: the reply is of the same state, as long as no new hour has begun."""
    for _ in range(2):
        before = poll(page)
        page.evaluate(MARK)
        if poll(page) == before:
            return
    raise AssertionError("Every reply has another ETag.")


def test_only_what_has_changed_is_shown_anew_and_the_focus_stays(visit, site, world):
    page = visit("dora", reduced_motion="reduce")
    stop_the_clock(page)  # It asks only when it is told to.
    page.goto("/watch/tide/")
    marked(page)
    expect(page.locator("#live h2[data-old]")).to_have_count(1)

    link = (
        page.locator("#live")
        .get_by_role("link", name="All numbers")
        .or_(page.locator("#live [role=region]").first)
    )
    link.first.focus()
    held = page.evaluate("document.activeElement.outerHTML.slice(0, 60)")
    filled = page.locator("#live .bar-line span")
    before = filled.inner_text()
    site.ask("some_reading", study="tide", done={"ben": 1}, seed=7)
    poll(page)
    expect(filled).not_to_have_text(before)
    expect(page.locator("#live h2[data-old]")).to_have_count(0)
    assert page.evaluate("document.activeElement.outerHTML.slice(0, 60)") == held

"""The live page asks again by itself: nothing moves while nothing changed, and nobody loses their place."""

from __future__ import annotations

from playwright.sync_api import expect

POLL = "() => htmx.ajax('GET', location.pathname, {source: '#live', target: '#live'})"
MARK = "() => { document.querySelector('#live h2').dataset.old = ''; }"


def poll(page):
    with page.expect_response("**/watch/tide/") as reply:
        page.evaluate(POLL)
    return reply.value


def test_only_what_has_changed_is_shown_anew_and_the_focus_stays(visit, site, world):
    page = visit("dora", reduced_motion="reduce")
    page.goto("/watch/tide/")
    poll(page)
    page.evaluate(MARK)
    poll(page)
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

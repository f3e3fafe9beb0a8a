"""The next item waits in the page: the reply that says saved shows it, as if it had come whole."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import candidate, focus, item, press

WAITS = "() => document.querySelector('body > template[data-prefetch]')?.content.textContent ?? ''"
LIVE = "() => document.body.innerText"


@pytest.fixture
def page(visit, reader):
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto("/")
    with page.expect_response("**/prefetch/"):
        page.get_by_role("button", name="Begin").click()
    page.wait_for_function("() => document.querySelector('template[data-prefetch]')")
    return page


def answer(page, key="2"):
    """Choose and submit; the reply, once the next item stands there."""
    before = item(page)
    press(page, key)
    with page.expect_response(f"**/work/{before}/") as reply:
        page.keyboard.press("Enter")
    expect(page.locator(f"[data-item='{before}']")).to_have_count(0)
    return reply.value


def test_what_waited_is_what_is_shown(page):
    waiting = page.evaluate(WAITS)
    # Some candidates are at several items.
    here = page.evaluate(LIVE)
    new = [
        text.strip() for text in waiting.splitlines() if len(text.strip()) > 30 and text.strip() not in here
    ]
    assert new, "it waits, and nothing of it is to be read"
    reply = answer(page)
    assert reply.headers["x-prefetched"] == item(page)
    assert '<template data-part="text"></template>' in reply.text()
    assert not [text for text in new if text not in page.locator("main").text_content()]
    expect(page.locator("main template")).to_have_count(0)
    expect(page.locator("main h1")).to_be_focused()
    expect(page.locator("#status")).to_have_text("Saved.")
    expect(page).to_have_url(re.compile(rf"/work/{item(page)}/$"))
    assert axe.violations(page) == []
    press(page, "1")
    expect(candidate(page, 1)).to_be_checked()
    expect(page.locator(".gap-text")).to_be_visible()


def test_it_is_asked_for_once_an_item_and_takes_no_place(page, site, reader):
    asked = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/prefetch/") else None)
    page.wait_for_timeout(2500)
    assert asked == []
    with page.expect_response("**/prefetch/"):
        answer(page)
    assert len(asked) == 1


def test_without_it_the_whole_item_comes(page, watches):
    page.route("**/prefetch/", lambda route: route.abort())
    with page.expect_event("requestfailed", lambda sent: sent.url.endswith("/prefetch/")):
        answer(page)
    reply = answer(page)
    assert "x-prefetched" not in reply.headers
    expect(page.locator("main h1")).to_be_focused()
    focus(page)
    watches[0].complaints[:] = [each for each in watches[0].complaints if "ERR_FAILED" not in each]


def test_a_page_that_is_opened_again_has_what_it_needs(page):
    before = item(page)
    answer(page)
    prose = page.locator("main .prose")
    shown = prose.inner_text()
    page.reload()
    expect(prose).to_have_text(shown, use_inner_text=True)
    page.get_by_role("link", name="Previous item").click()
    page.wait_for_url(f"**/work/{before}/")
    page.go_back()
    expect(prose).to_have_text(shown, use_inner_text=True)

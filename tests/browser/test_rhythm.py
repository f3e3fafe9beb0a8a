"""The rhythm of a sitting: goal, pause, a word after 45 minutes, `?`; and all of it switched off."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import gone_on, item, press, stop_the_clock


def at_work(page, minutes):
    """Somebody who moves now and then."""
    for _ in range(minutes * 2):
        page.clock.run_for(30_000)
        page.evaluate("() => dispatchEvent(new Event('pointermove'))")


def counted(page):
    page.evaluate("() => document.dispatchEvent(new Event('variorum:write'))")
    return float(page.locator("[name=active_seconds]").input_value())


def answered(page):
    first = item(page)
    press(page, "1")
    page.keyboard.press("Enter")
    page.clock.run_for(2000)
    gone_on(page, first)
    page.clock.run_for(1000)


def test_a_sitting_has_a_goal_a_pause_and_an_end(visit, site):
    page = visit(site.ask("reader", items=9)["user"], reduced_motion="reduce")
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    stop_the_clock(page)
    page.reload()
    expect(page.locator("main h1")).to_be_focused()
    tool, far = page.locator("[data-sitting]"), page.locator("[data-far]")
    tool.locator("summary").click()
    tool.locator("[value='5'] + span").click()
    expect(far).to_have_text("0 of 5")
    assert axe.audit(page) == []
    page.keyboard.press("Escape")
    for _ in range(2):
        at_work(page, 2)
        answered(page)
    expect(far).to_have_text("2 of 5")
    expect(page.locator("[data-rhythm-left]")).to_have_text("3 more like this, about 6 minutes.")
    # The pause covers the text and stops the clock; the sitting goes on in the same tab.
    before = counted(page)
    tool.locator("summary").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("main")).to_be_hidden()
    assert axe.audit(page) == []
    at_work(page, 10)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main h1")).to_be_visible()
    assert counted(page) - before < 2
    page.reload()
    expect(far).to_have_text("2 of 5")
    at_work(page, 46)
    expect(far).to_have_text("2 of 5 · a pause?")
    expect(page.locator("#status")).to_have_text("You have read for 45 minutes. A pause?")
    page.keyboard.press("?")
    expect(page.locator("form.keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("form.keys")).to_be_hidden()
    tool.locator("summary").click()
    with page.expect_response("**/preferences/"):
        tool.get_by_text("Show goal and pause").click()
        page.clock.run_for(100)
    expect(tool).to_be_hidden()
    page.reload()
    expect(tool).to_be_hidden()
    expect(page.locator("[data-rhythm-left]")).to_be_hidden()

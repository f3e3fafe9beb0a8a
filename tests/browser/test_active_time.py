"""Active time: what the page counts while its reader is there, and what it does not."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.reading import item, press, stop_the_clock

SHOW = """
(state) => {
  Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
  document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));
}
"""


@pytest.fixture
def page(visit, reader):
    """At the first item, with a clock that stands still until a test moves it."""
    page = visit(reader["user"])
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    stop_the_clock(page)
    page.reload()
    expect(page.locator("main h1")).to_be_focused()
    return page


def counted(page):
    page.evaluate("() => document.dispatchEvent(new Event('variorum:write'))")
    return float(page.locator("[name=active_seconds]").input_value())


def at_work(page, seconds):
    """Somebody who moves now and then."""
    for _ in range(seconds // 10):
        page.clock.run_for(10_000)
        page.evaluate("() => dispatchEvent(new Event('pointermove'))")


def test_time_counts_while_somebody_is_there(page):
    at_work(page, 120)
    assert 118 <= counted(page) <= 121


def test_time_stops_a_while_after_the_last_movement(page):
    page.clock.run_for(600_000)
    assert 88 <= counted(page) <= 92
    at_work(page, 30)
    assert 105 <= counted(page) <= 125


def test_time_stops_while_the_tab_is_hidden(page):
    at_work(page, 20)
    page.evaluate(SHOW, "hidden")
    page.clock.run_for(300_000)
    page.evaluate(SHOW, "visible")
    at_work(page, 20)
    assert 38 <= counted(page) <= 42


def test_a_machine_that_slept_was_not_read_at(page):
    at_work(page, 20)
    page.clock.fast_forward(3_600_000)
    at_work(page, 20)
    # The ten seconds before its reader moved again are nobody's.
    assert 28 <= counted(page) <= 42


def test_a_reload_goes_on_counting_and_another_item_begins_anew(page):
    at_work(page, 40)
    press(page, "2")
    page.clock.run_for(2_000)
    expect(page.locator("[data-keeping]")).to_contain_text("Draft saved")
    page.reload()
    assert 38 <= counted(page) <= 44
    first = item(page)
    press(page, "2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-item]")).not_to_have_attribute("data-item", first)
    assert counted(page) < 5

"""The rhythm of a sitting: goal, pause, a word after 45 minutes, `?`; and all of it switched off."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import begin, gone_on, item, press

READ = "(ms) => document.dispatchEvent(new CustomEvent('variorum:read', {detail: ms}))"
"""What reading.js says of each second that was read."""


def counted(page):
    page.evaluate("() => document.dispatchEvent(new Event('variorum:write'))")
    return float(page.locator("[name=active_seconds]").input_value())


def test_a_sitting_has_a_goal_a_pause_and_an_end(visit, reader):
    page = visit(reader["user"], reduced_motion="reduce")
    page.clock.install()
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()
    tool, far = page.locator("[data-sitting]"), page.locator("[data-sitting-far]")
    tool.locator("summary").click()
    tool.locator("[value='5'] + span").click()
    expect(far).to_have_text("0 of 5")
    assert axe.audit(page) == []
    page.keyboard.press("Escape")
    for _ in range(2):
        page.evaluate(READ, 120_000)
        first = item(page)
        press(page, "1")
        page.keyboard.press("Enter")
        gone_on(page, first)
    expect(far).to_have_text("2 of 5")
    expect(page.locator("[data-rhythm-left]")).to_have_text("3 more like this, about 6 minutes.")
    # The pause covers the text and stops the clock; what was read in this tab stays counted.
    tool.locator("summary").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("main")).to_be_hidden()
    assert axe.audit(page) == []
    before = counted(page)
    page.clock.run_for(60_000)
    assert counted(page) == before
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main h1")).to_be_visible()
    page.clock.run_for(60_000)
    assert counted(page) > before + 50
    page.reload()
    expect(far).to_have_text("2 of 5")
    page.evaluate(READ, 45 * 60_000)
    expect(far).to_have_text("2 of 5 · a pause?")
    expect(page.locator("#status")).to_have_text("You have read for 45 minutes. A pause?")
    for shown in (True, False):
        page.keyboard.press("?")
        expect(page.locator("form.keys")).to_be_visible(visible=shown)
    tool.locator("summary").click()
    with page.expect_response("**/preferences/"):
        tool.get_by_text("Show goal and pause").click()
    expect(tool).to_be_hidden()
    page.reload()
    expect(tool).to_be_hidden()


@contextmanager
def held_back(page, reader):
    """Begin to read while the script of a sitting does not come; it comes at the end."""
    held = []
    page.route("**/rhythm*.js", lambda route: held.append(route))
    page.goto(f"/studies/{reader['study']}/begin/")
    with page.expect_request("**/rhythm*.js"):
        begin(page)
        yield
    expect(page.locator("[data-sitting]")).to_be_hidden()
    held.pop().continue_()
    expect(page.locator("[data-sitting]")).to_be_visible()


def test_what_comes_late_moves_nothing(site, visit):
    # A page of marks on a telephone: there the head had no room for one thing more.
    reader = site.ask("span_reader", passages=["la"], verses=1, task="span")
    page = visit(reader["user"], has_touch=True, viewport={"width": 390, "height": 844})
    heading = page.locator("main h1")
    with held_back(page, reader):
        before = heading.bounding_box()
    assert heading.bounding_box() == before


def test_an_item_counts_that_was_submitted_before_the_script_came(visit, reader):
    page = visit(reader["user"])
    with held_back(page, reader):
        first = item(page)
        press(page, "1")
        page.keyboard.press("Enter")
        gone_on(page, first)
    expect(page.locator("[data-sitting-far]")).to_have_text("1 done")


@pytest.mark.parametrize("width", [440, 390, 360])
def test_on_a_telephone_the_head_has_two_rows_however_long_the_name(site, visit, width):
    reader = site.ask("span_reader", passages=["la"], verses=1, task="span")
    page = visit(reader["user"], has_touch=True, viewport={"width": width, "height": 844})
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    expect(page.locator("[data-sitting]")).to_be_visible()
    # One as high as a finger needs, and one of where one is in the study.
    assert page.locator(".tools").bounding_box()["height"] == 44
    assert page.locator(".head").bounding_box()["height"] < 2 * 44 + 10

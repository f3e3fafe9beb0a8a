"""axe finds nothing on the reading page, whatever a reader does: after every swap, panel, error and end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import begin, begun_by, gone_on, item, press


@pytest.fixture
def page(visit, reader):
    return begun_by(visit, reader)


def test_choosing_and_going_on(page):
    assert axe.audit(page, forced=True) == []
    press(page, "2")
    assert axe.audit(page, forced=True) == []
    press(page, "b")
    assert axe.violations(page) == []
    first = item(page)
    press(page, "3", "Enter")
    second = gone_on(page, first)
    assert axe.audit(page, forced=True) == []
    page.keyboard.press("l")
    gone_on(page, second)
    assert axe.violations(page) == []


@pytest.mark.parametrize("key", ["0", "f", "n"])
def test_each_act_opened(page, key):
    press(page, key)
    assert page.locator(".acts details[open]").count() == 1
    assert axe.audit(page) == []


@pytest.mark.parametrize("panel", ["Keys", "Aa", "Ada", "Guidelines"])
def test_each_panel_opened(page, panel):
    page.locator("summary", has_text=re.compile(f"^{panel}$")).click()
    assert page.locator("details[open]").count() == 1
    assert axe.audit(page) == []


def test_sepia_and_the_largest_text(page):
    page.locator("summary", has_text="Aa").click()
    for name in ("Sepia", "Largest", "Open", "Plain"):
        page.locator("[data-reader] label", has_text=re.compile(f"^{name}$")).click()
    press(page, "Escape")
    assert axe.audit(page) == []


@pytest.mark.parametrize(
    ("open_first", "button"),
    [("", "Submit and go on"), ("0", "Submit this reason"), ("f", "Report it and go on")],
    ids=["no answer", "no reason", "no fault"],
)
def test_each_refusal(page, open_first, button):
    if open_first:
        press(page, open_first)
    page.get_by_role("button", name=button).click()
    expect(page.locator(".errors")).to_be_focused()
    assert axe.audit(page) == []


def test_a_revision_with_its_note(page):
    first = item(page)
    press(page, "n")
    page.keyboard.type("Both could stand here.")
    press(page, "Escape", "2")
    page.keyboard.press("Enter")
    gone_on(page, first)
    page.get_by_role("link", name="Previous item").click()
    page.wait_for_url(f"**/work/{first}/")
    assert axe.audit(page) == []


def test_the_end(page):
    for _ in range(4):
        here = item(page)
        press(page, "1")
        page.keyboard.press("Enter")
        page.wait_for_function("was => document.querySelector('[data-item]')?.dataset.item !== was", arg=here)
    page.wait_for_url("**/done/")
    assert axe.audit(page) == []


def test_too_late(page, site, reader):
    press(page, "2")
    site.ask("close", study=reader["study"])
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_have_text("Kept, but too late to count")
    assert axe.audit(page) == []


def test_a_text_that_runs_from_right_to_left(visit, site):
    reader = site.ask("reader", language="ar")
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto("/")
    begin(page)
    press(page, "2")
    direction = "one => getComputedStyle(one).direction"
    assert page.locator(".gap-text").evaluate(direction) == "rtl"
    assert page.locator("main h1").evaluate(direction) == "ltr"
    assert axe.audit(page) == []


def test_every_line_of_text_can_be_spaced_out(page):
    """WCAG 1.4.12, and 1.4.10 with it: nothing is cut off or overlaps the window."""
    page.set_viewport_size({"width": 320, "height": 900})
    page.locator("body *").first.evaluate(
        """() => {
          for (const one of document.querySelectorAll("body *")) {
            one.style.setProperty("line-height", "1.5", "important");
            one.style.setProperty("letter-spacing", ".12em", "important");
            one.style.setProperty("word-spacing", ".16em", "important");
          }
        }"""
    )
    assert axe.violations(page) == []

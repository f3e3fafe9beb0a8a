"""What stands before and behind a document, and one's own answers before, by keyboard and on a telephone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import axe
from tests.browser.reading import focus, focused, gone_on, item, press, press_on
from tests.browser.test_relevance import announced, confirm


@pytest.fixture
def at_item(site: Any, visit: Any) -> Any:
    """A page at the first document of a study in which both can be opened."""

    def at(**options: Any) -> Page:
        reader = site.ask("pool_reader")
        page = visit(reader["user"], **options)
        page.goto("/")
        press_on(page, page.get_by_role("button", name="Begin"))
        announced(page)
        confirm(page)
        return page

    return at


def neighbours(page: Page) -> Any:
    return page.locator(".neighbour[open]")


def test_neighbours_open_and_close_by_keys_and_the_focus_goes_back(at_item):
    page = at_item()
    while page.locator(".neighbour").count() < 2:
        at = item(page)
        press(page, "1", "Enter")
        gone_on(page, at)
    press(page, "2")
    chosen = focus(page)["id"]
    press(page, "]")
    focused(page, ".neighbour-text")
    expect(neighbours(page)).to_contain_text("It stands behind the document")
    expect(neighbours(page).locator(".prose")).to_contain_text("morning the boats")
    assert axe.audit(page, forced=True) == []
    press(page, "[")
    expect(neighbours(page)).to_have_count(2)
    page.wait_for_function("() => document.querySelectorAll('.neighbour .prose').length === 2")
    page.keyboard.press("[")
    expect(neighbours(page)).to_have_count(1)
    press(page, "]")
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("Escape")
    expect(neighbours(page)).to_have_count(0)
    assert page.locator(f"#{chosen}").is_checked()
    at = item(page)
    press(page, "3", "Enter")
    gone_on(page, at)


def test_own_answers_before_open_beside_the_item_and_lead_to_each(at_item):
    page = at_item()
    first = item(page)
    press(page, "2", "Enter")
    second = gone_on(page, first)
    press_on(page, page.locator(".earlier-own summary"))
    link = page.locator(".own-answers a")
    expect(link).to_have_count(1)
    expect(page.locator(".own-answers")).to_contain_text("2: Partly relevant")
    assert axe.audit(page, forced=True) == []
    page.keyboard.press("Escape")
    expect(page.locator(".earlier-own[open]")).to_have_count(0)
    page.goto(f"/work/{second}/earlier/")
    assert axe.violations(page) == []
    page.locator(".own-answers a").click()
    page.wait_for_url(f"**/work/{first}/")


def test_on_a_telephone_nothing_runs_over_the_side(at_item):
    page = at_item(viewport={"width": 390, "height": 844}, has_touch=True)
    page.locator(".neighbour summary").first.tap()
    expect(neighbours(page).locator(".prose")).to_contain_text("morning the boats")
    page.locator(".earlier-own summary").tap()
    expect(page.locator(".earlier-body")).to_contain_text("Nothing yet")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(page) == []


def test_without_scripts_a_neighbour_is_a_button_away(at_item, site, visit):
    reader = site.ask("pool_reader")
    page = visit(reader["user"], java_script_enabled=False)
    page.goto(f"/studies/{reader['study']}/begin/")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Begin").click()
    page.locator(".neighbour summary").first.click()
    page.get_by_role("button", name="Show it").first.click()
    expect(neighbours(page)).to_contain_text("morning the boats")

"""Marking the words that decided a grade: after it, by keys, pointer and touch; kept, revised, exported."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import axe
from tests.browser.marking import spoken, word
from tests.browser.reading import focused, gone_on, item, press, press_on, stored
from tests.browser.test_relevance import announced, confirm

RATIONALE = "[data-rationale]"


@pytest.fixture
def marks(site: Any, visit: Any) -> Any:
    """A page at the first document of a study whose readers mark words, and who reads."""

    def at(setting: str = "optional", **options: Any) -> tuple[Page, dict[str, Any]]:
        reader = site.ask("topics_reader", topics=1, documents=3, rationale=setting, highlight=True)
        page = visit(reader["user"], **options)
        page.goto("/")
        press_on(page, page.get_by_role("button", name="Begin"))
        announced(page)
        confirm(page)
        return page, reader

    return at


def text_of(page: Page) -> str:
    return page.evaluate("() => document.querySelector('[name=rationale]').value")


def test_words_are_marked_by_keys_after_the_grade_and_come_back(marks, site):
    page, reader = marks()
    first = item(page)
    expect(page.locator(RATIONALE)).to_be_hidden()
    press(page, "r")
    expect(page.locator(RATIONALE)).to_be_hidden()
    press(page, "3")
    expect(page.locator(RATIONALE)).to_be_visible()
    assert press(page, "r")["tag"] == "FIELDSET"
    press(page, "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    expect(spoken(page)).to_contain_text("1 place. 3 words: On the")
    press(page, "a", "ArrowRight", "s")
    expect(spoken(page)).to_contain_text("2 places.")
    two = text_of(page)
    press(page, "d")
    assert text_of(page) == "1-3"
    press(page, "Control+z")
    assert text_of(page) == two
    assert axe.audit(page, forced=True) == []
    # What is open closes, and what is marked stays.
    press(page, "Escape")
    expect(page.locator(f"{RATIONALE}[open]")).to_have_count(0)
    assert page.locator(".document mark:not([data-title])").count() == 2
    press(page, "r", "Enter")
    second = gone_on(page, first)
    press(page, "0", "Enter")
    gone_on(page, second)

    page.keyboard.press("u")
    page.wait_for_url(f"**/work/{second}/")
    page.goto(f"/work/{first}/")
    assert text_of(page) == two
    assert page.locator(".document mark:not([data-title])").count() == 2
    page.get_by_role("button", name="Clear all").click()
    assert text_of(page) == ""
    page.get_by_role("button", name="Undo the last change").click()
    assert text_of(page) == two
    page.get_by_role("button", name="Save the change").click()
    page.wait_for_url(lambda url: f"/work/{first}/" not in url)
    said = stored(site, reader)
    assert [each["answer"].get("rationale") for each in said if each["revision"] == 1][1:] == [None]
    revised = next(each for each in said if each["revision"] == 2)["answer"]
    assert revised == next(each for each in said)["answer"]
    assert revised["rationale"][0][0] == 0
    assert len(revised["rationale"]) == 2


def test_a_study_may_ask_for_words_with_every_grade_but_the_lowest(marks, site):
    page, reader = marks("required")
    first = item(page)
    press(page, "2", "Enter")
    error = page.locator(".errors")
    expect(error).to_contain_text("Mark the words that decided")
    focused(page, ".errors")
    assert axe.violations(page) == []
    expect(page.locator(f"{RATIONALE}[open]")).to_have_count(1)
    press(page, "Tab", "Enter")
    press(page, "ArrowRight", "s", "Enter")
    second = gone_on(page, first)
    press(page, "0", "Enter")
    gone_on(page, second)
    answers = [each["answer"] for each in stored(site, reader)]
    assert [sorted(each) for each in answers] == [["grade", "rationale"], ["grade"]]


def test_by_touch_on_a_telephone_and_the_words_wait_as_a_draft(marks, site):
    page, _ = marks(viewport={"width": 390, "height": 844}, has_touch=True)
    page.locator("label.candidate").nth(4).tap()
    word(page, "boats").first.tap()
    assert page.locator(".document mark:not([data-title])").count() == 0, "not before it is asked"
    page.locator(f"{RATIONALE} summary").tap()
    word(page, "boats").first.tap()
    word(page, "fleet").first.tap()
    expect(spoken(page)).to_contain_text("1 place.")
    assert axe.violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("[data-keeping]")).to_contain_text("saved")
    kept = text_of(page)
    page.reload()
    assert text_of(page) == kept
    expect(page.locator(f"{RATIONALE}[open]")).to_have_count(1)

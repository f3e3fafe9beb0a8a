"""One column: the text stands above the passages, so a passage is read in its place in its own card."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import begin, item, press

PAYLOAD = """
one => {
  const words = [...one.querySelectorAll("p[dir]:not(.gap-text)")].map((each) => each.textContent);
  return {before: words[0], after: words.at(-1), gap: one.querySelector("[data-gap]").dataset};
}
"""


@pytest.fixture
def narrow(visit, reader):
    page = visit(reader["user"], viewport={"width": 320, "height": 640}, has_touch=True)
    page.goto("/")
    begin(page)
    return page


def test_a_tapped_passage_is_read_between_the_sentences_around_the_gap(narrow):
    prose = narrow.locator(".prose").evaluate(PAYLOAD)
    assert prose["before"].endswith(prose["gap"]["before"])
    assert prose["after"].startswith(prose["gap"]["after"])
    for card in (narrow.locator(".candidate").nth(n) for n in (0, 2, 1)):
        card.scroll_into_view_if_needed()
        top = card.bounding_box()["y"]
        text = card.locator(".candidate-text").inner_text()
        card.tap(position={"x": 60, "y": 20})
        read = " ".join(card.inner_text().split())
        assert f"{prose['gap']['before']} {text} {prose['gap']['after']}" in read
        assert narrow.locator(".around").count() == 2
        # Three blocks below one another, as wide as the card leaves them.
        before, within, after = (each.bounding_box() for each in card.locator("> span").all())
        assert before["y"] + before["height"] <= within["y"] < within["y"] + within["height"] <= after["y"]
        assert min(each["width"] for each in (before, within, after)) > 200
        # The card has not moved under the finger, and the text in the gap is the same as ever.
        assert abs(card.bounding_box()["y"] - top) <= 1
        expect(narrow.locator(".gap-text")).to_have_text(text)
    # What a screen reader calls the passage stays the passage.
    expect(narrow.get_by_role("radio", name=re.compile("^" + re.escape(text[:20])))).to_be_checked()
    assert axe.violations(narrow) == []


def test_the_blank_takes_the_sentences_away(narrow):
    narrow.locator(".candidate").first.tap()
    assert narrow.locator(".around").count() == 2
    press(narrow, "b")
    assert narrow.locator(".around").count() == 0


def test_enter_on_an_untouched_item_leads_to_the_passages(narrow):
    first, line = item(narrow), narrow.locator("[data-wanting]")
    press(narrow, "Enter")
    expect(line).to_be_in_viewport(ratio=1)
    expect(narrow.locator(f"#position-{first}")).to_be_focused()


def test_side_by_side_nothing_moves_and_no_sentence_is_repeated(visit, reader):
    page = visit(reader["user"])
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".candidate")).to_have_count(3)
    tops = [each.bounding_box()["y"] for each in page.locator(".candidate").all()]
    press(page, "1", "3")
    assert [each.bounding_box()["y"] for each in page.locator(".candidate").all()] == tops
    expect(page.locator(".around:visible")).to_have_count(0)
    assert page.evaluate("scrollY") == 0


def test_what_a_machine_said_is_read_on_a_telephone(visit, world):
    """Its answer, beside the item: wide enough for words, and not out of sight behind four numbers."""
    page = visit("dora", viewport={"width": 360, "height": 740})
    page.goto("/manage/tide-simulated/machines/M1/readings/")
    said = page.locator("td.said").first.bounding_box()
    assert said["x"] < 130
    assert said["width"] > 200
    assert max(each.bounding_box()["height"] for each in page.locator("tbody tr").all()) < 260


def test_the_panel_of_keys_names_them(narrow):
    narrow.locator("summary", has_text="Keys").click()
    names = narrow.locator("form.keys dt kbd")
    assert names.count() > 8
    assert all(one.is_visible() for one in names.all())

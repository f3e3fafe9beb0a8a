"""Words looked up in the texts on the page, and a note on words that are selected."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import gone_on, item, press, stored

PAINTED = "(name) => [...(CSS.highlights.get(name) ?? [])].map(String)"
SELECT = """
() => {
  const text = document.querySelector(".candidate-text").firstChild;
  getSelection().setBaseAndExtent(text, 0, text, 9);
}
"""


def test_words_are_found_and_a_note_begins_with_those_that_are_selected(visit, reader, site):
    page = visit(reader["user"])
    page.goto(f"/studies/{reader['study']}/begin/")
    page.get_by_role("button", name=re.compile("^Begin")).click()
    page.wait_for_url("**/work/*/")
    before = page.evaluate("() => document.querySelector('#main').innerText")
    press(page, "/")
    count = page.locator("[data-count]")
    page.keyboard.type("PÁSSAGE")
    expect(count).to_contain_text("places")
    many = len(page.evaluate(PAINTED, "found"))
    assert {text.lower() for text in page.evaluate(PAINTED, "found")} == {"passage"}
    page.keyboard.press("Enter")
    expect(count).to_have_text(f"1 of {many}")
    assert len(page.evaluate(PAINTED, "found-here")) == 1
    assert axe.audit(page) == []
    page.keyboard.type("xyz")
    expect(count).to_have_text("Not in the texts on this page.")
    page.keyboard.press("Escape")
    # Nothing of the page has changed, and nothing is painted any more.
    page.wait_for_function("() => CSS.highlights.size === 0")
    assert page.evaluate("() => document.querySelector('#main').innerText") == before
    page.evaluate(SELECT)
    page.get_by_role("button", name="Note on these words").click()
    expect(page.locator("textarea[name=note]")).to_be_focused()
    page.keyboard.type("why so?")
    page.locator(".candidate input").first.check()
    page.locator("[data-submit]").click()
    expect(page.locator(".saved")).to_be_visible()
    assert stored(site, reader)[-1]["note"] == "“Item 1, t”: why so?"


def test_who_opens_it_with_the_mouse_can_write_at_once(visit, reader):
    page = visit(reader["user"])
    page.goto(f"/studies/{reader['study']}/begin/")
    page.get_by_role("button", name=re.compile("^Begin")).click()
    page.wait_for_url("**/work/*/")
    before = item(page)
    page.locator("[data-find] > summary").click()
    expect(page.locator("#find-words")).to_be_focused()
    page.keyboard.type("lfn2")
    expect(page.locator("#find-words")).to_have_value("lfn2")
    assert item(page) == before, "no letter was a key"
    assert page.locator(".candidate :checked").count() == 0


def test_after_the_answer_the_passages_are_read_in_their_book(visit, site):
    there = site.ask("book_reader")
    page = visit(there["user"])
    page.goto(f"/studies/{there['study']}/begin/")
    page.get_by_role("button", name=re.compile("^Begin")).click()
    page.wait_for_url("**/work/*/")
    at, first = page.url, item(page)
    press(page, "1", "Enter")
    gone_on(page, first)
    page.goto(at)
    page.get_by_role("link", name="Read the passages in their book").click()
    assert axe.audit(page) == []
    page.get_by_role("button", name="Read them in their book").click()
    expect(page.locator("mark")).to_have_count(3)
    assert axe.audit(page) == []
    page.get_by_role("link", name="Back to the item").click()
    expect(page.get_by_text("your answer stays as it is")).to_be_visible()
    expect(page.locator("[data-submit]")).to_have_count(0)


def test_a_printed_notebook_holds_answers_and_nothing_to_press(visit, world):
    page = visit("ada-of-the-harbour")
    page.goto("/studies/harbour/notebook/")
    page.emulate_media(media="print")
    assert page.locator(".entry").count() == 4
    for one in (
        page.locator(".notebook-find"),
        page.get_by_role("link", name="a table (CSV)"),
        page.locator(".head"),
    ):
        expect(one).to_be_hidden()
    expect(page.locator(".entry").first).to_be_visible()

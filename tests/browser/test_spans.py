"""Marking several places by keys, pointer, touch and slider; whatever is done, they stay apart."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from random import Random

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.marking import answers, begun, draw, handle, slider, spoken, submit, touch, word
from tests.browser.reading import gone_on, item, press, stored

STATE = """
() => {
  const field = document.querySelector("[name=spans]").value;
  const marks = [...document.querySelectorAll("[data-passage] mark")];
  const ends = (one) => {
    const tokens = [...one.querySelectorAll("[data-token]")].map((each) => Number(each.dataset.token));
    return `${tokens.at(0)}-${tokens.at(-1)}`;
  };
  return {
    field, marked: marks.map(ends).join(", "),
    now: marks.filter((one) => "now" in one.dataset).length,
    rows: document.querySelectorAll("[data-places] li").length,
    text: document.querySelector("[data-passage]").textContent,
  };
}
"""


@pytest.fixture
def open_item(site, visit):
    """`open_item("la", …)`: a page at the first of these passages, and whose it is."""
    return partial(begun, site, visit, task="spans")


def places(page):
    return page.locator("[data-places] .place")


def another(page):
    return page.get_by_role("button", name="Mark another place")


def test_two_places_by_keyboard_alone(open_item, site):
    page, reader = open_item("la", "grc")
    first = item(page)
    press(page, "Enter")
    assert item(page) == first, "an item unread is not submitted"
    press(page, "ArrowRight", "Shift+ArrowRight")
    expect(spoken(page)).to_have_text("1 place. 2 words: Felix osculum")
    press(page, "a", "ArrowRight", "Alt+Shift+ArrowRight")
    expect(spoken(page)).to_have_text("2 places. 2 words: ac mirabile")
    press(page, "a", "ArrowRight", "s")
    expect(spoken(page)).to_have_text("3 places. 12 words: Osculum plane … illa")
    press(page, "d")
    expect(spoken(page)).to_have_text("2 places. Draw over the words of another, or submit.")
    press(page, "a", "ArrowRight", "s")
    expect(places(page)).to_have_text(["Felix osculum", "ac mirabile", "Osculum plane … illa"])
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert answers(site, reader) == [{"spans": [[0, 2], [2, 4], [5, 19]]}]


def test_fingers_mark_places_that_never_meet(open_item, site):
    page, reader = open_item("la", has_touch=True, viewport={"width": 360, "height": 640})
    word(page, "plane").tap()
    word(page, "pacis").tap()
    expect(spoken(page)).to_have_text("1 place. 2 words: plane pacis")
    another(page).tap()
    expect(spoken(page)).to_have_text("1 place. Draw over the words of another, or submit.")
    expect(another(page)).to_be_hidden()
    word(page, "supereminet").tap()
    word(page, "scientiae").tap()
    expect(places(page)).to_have_text(["plane pacis", "supereminet omni scientiae"])
    # A tap on a marked place goes back to it; one beyond its neighbour begins another.
    word(page, "plane").tap()
    expect(spoken(page)).to_have_text("2 places. 2 words: plane pacis")
    word(page, "Dixi").tap()
    expect(places(page)).to_have_count(3)
    page.get_by_role("button", name="Remove Dixi").tap()
    expect(places(page)).to_have_text(["plane pacis", "supereminet omni scientiae"])
    # A draw over free words marks a place of its own, as far as the next one; it is one act to undo.
    touch(page, word(page, "Felix"), word(page, "mirabile"))
    expect(places(page)).to_have_text(
        ["Felix osculum ac mirabile", "plane pacis", "supereminet omni scientiae"]
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert axe.violations(page) == []
    page.get_by_role("button", name="Undo the last").tap()
    expect(places(page)).to_have_text(["plane pacis", "supereminet omni scientiae"])
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"spans": [[6, 8], [12, 15]]}]


def test_sliders_and_the_mouse_go_as_far_as_the_neighbours(open_item):
    page, _ = open_item("la")
    word(page, "pacis").click()
    another(page).click()
    word(page, "illa").first.click()
    slider(page, "Starts").focus()
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    expect(places(page)).to_have_text(["pacis", "sed dilectio illa"])
    slider(page, "Ends").fill("15")
    expect(spoken(page)).to_have_text("2 places. 9 words: sed dilectio … illa")
    places(page).first.click()
    assert slider(page, "Ends").get_attribute("max") == "6", "the word in front of the next place"
    # The one that is being marked has the handles; a draw that begins in it draws it anew.
    draw(page, handle(page, "start"), word(page, "ac"))
    expect(places(page).first).to_have_text("ac mirabile. Osculum plane pacis")
    draw(page, word(page, "Osculum"), word(page, "scientiae"))
    expect(places(page)).to_have_text(["Osculum plane pacis", "sed dilectio … illa"])
    assert axe.violations(page) == []


def test_what_was_marked_is_there_again_and_the_server_has_the_last_word(open_item, site):
    page, reader = open_item("la")
    word(page, "plane").click()
    submit(page)
    expect(page.locator(".errors")).to_contain_text("One of the spans must contain the anchor")
    expect(places(page)).to_have_text(["plane"])
    another(page).click()
    word(page, "scientiae").click()
    with page.expect_response("**/draft/"):
        word(page, "omni").click()
    page.reload()
    expect(places(page)).to_have_text(["plane", "omni scientiae"])
    submit(page)
    page.wait_for_url("**/done/")
    page.go_back()
    expect(page.locator("mark")).to_have_text(["plane", "omni scientiae"])
    assert len(stored(site, reader)) == 1


def test_whatever_is_done_marks_list_and_field_say_the_same(open_item):
    page, _ = open_item("la")
    random, words = Random(1), page.locator("[data-word]")
    text, n = page.evaluate(STATE)["text"], words.count()
    keys = ["ArrowLeft", "ArrowRight", "Shift+ArrowLeft", "Shift+ArrowRight", "Alt+ArrowRight",
            "Alt+Shift+ArrowLeft", "a", "d", "s", "Control+z", "Control+y", "Delete"]  # fmt: skip
    for _ in range(60):
        if random.random() < 0.4:
            draw(page, *(words.nth(random.randrange(n)) for _ in range(2)))
        else:
            page.keyboard.press(random.choice(keys))
        state = page.evaluate(STATE)
        assert state["field"] == state["marked"]
        assert state["text"] == text, "no letter is lost"
        spans = [tuple(map(int, each.split("-"))) for each in state["field"].split(", ") if each]
        assert all(first <= last for first, last in spans)
        assert all(one[1] < other[0] for one, other in pairwise(spans))
        assert state["rows"] == len(spans) >= state["now"]


def test_without_scripts_words_are_numbered_and_written(open_item, site):
    page, reader = open_item("la", java_script_enabled=False)
    field = page.get_by_label("Numbers of the first and last word of each place")
    field.fill("7-8, 15")
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"spans": [[6, 8], [14, 15]]}]

"""A reader's whole way by keyboard alone; the focus is never nowhere, and nothing is judged unread."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import (
    begin_by_keys,
    candidate,
    chosen,
    focus,
    focused,
    gone_on,
    item,
    press,
    saved,
    stored,
    tab_to,
    text_of,
)


@pytest.fixture
def page(visit, reader):
    """At the first item, by keyboard."""
    page = visit(reader["user"])
    begin_by_keys(page)
    return page


@pytest.fixture
def posts(page, watches):
    """`posts()`: how often the page sent something; a draft goes out at any pause, and is no answer."""
    return lambda: sum(not path.endswith("/draft/") for path in watches[0].posts)


def wrote(page):
    """A round trip to the page, so that a request it has begun is known here."""
    page.evaluate("() => new Promise(requestAnimationFrame)")


def test_four_items_with_every_act_and_a_revision(page, site, reader):
    first = item(page)
    expect(page).to_have_title(re.compile("^Item 1 of 4"))
    assert press(page, "2")["id"] == f"c2-{first}"
    page.keyboard.press("Enter")
    second = gone_on(page, first)
    expect(saved(page)).to_have_text(re.compile(r"^Saved \d\d:\d\d · item 1$"))
    expect(page).to_have_title(re.compile("^Item 2 of 4"))
    expect(page.locator("#where")).to_contain_text("item 2 of 4")
    expect(page.locator("#progress")).to_have_attribute("value", "1")
    expect(page.locator("#status")).to_have_text("Saved.")

    assert press(page, "0")["text"] in page.locator("[data-key='0'] .button").first.inner_text()
    reason = focus(page)["text"]
    page.keyboard.press("Enter")
    third = gone_on(page, second)

    assert press(page, "f")["tag"] == "TEXTAREA"
    page.keyboard.type("The same passage twice.")
    press(page, "Tab")
    page.keyboard.press("Enter")
    fourth = gone_on(page, third)

    page.keyboard.press("p")
    page.wait_for_url(f"**/work/{third}/")
    expect(page.locator("main h1")).to_be_focused()
    expect(saved(page)).to_contain_text("· item 3 · ")
    expect(saved(page)).to_contain_text("The same passage twice.")
    press(page, "1", "Enter")
    gone_on(page, third)
    assert item(page) == fourth
    expect(saved(page)).to_have_text(re.compile(r"^Saved \d\d:\d\d · item 3 · changed$"))

    press(page, "3")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    expect(page.locator("main h1")).to_be_focused()
    expect(page.locator("main h1")).to_have_text("All done, thank you")
    assert [(each["revision"], each["outcome"]) for each in stored(site, reader)] == [
        (1, "answer"), (1, "undecided"), (1, "broken"), (2, "answer"), (1, "answer"),
    ]  # fmt: skip
    assert stored(site, reader)[1]["reason"] == reason


def test_each_candidate_is_read_in_the_gap_and_the_blank_comes_back(page, site, reader):
    first, gap = item(page), page.locator(".gap-text")
    for key in (1, 2, 3):
        press(page, str(key))
        expect(gap).to_have_text(text_of(page, key))
        expect(candidate(page, key)).to_be_checked()
    assert press(page, "b")["id"] == f"c3-{first}"
    expect(gap).to_be_hidden()
    expect(page.locator(".gap-blank")).to_be_visible()
    expect(candidate(page, 3)).to_be_checked()
    press(page, "ArrowUp")
    expect(gap).to_have_text(text_of(page, 2))
    shown = text_of(page, 2)
    page.keyboard.press("Enter")
    gone_on(page, first)
    (judgment,) = stored(site, reader)
    assert judgment["previews"] == 4
    page.goto(f"/work/{first}/")
    expect(page.locator(".candidate:has(:checked) .candidate-text")).to_have_text(shown)


def test_a_second_enter_never_posts_the_next_item_unread(page, posts, site, reader):
    first = item(page)
    press(page, "2")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    second = gone_on(page, first)
    before = posts()
    for _ in range(3):
        press(page, "Enter")
    wrote(page)
    assert item(page) == second
    assert posts() == before
    assert len(stored(site, reader)) == 1


def test_a_key_that_is_held_down_counts_once(page, posts, site, reader):
    first = item(page)
    press(page, "2")
    page.keyboard.down("Enter")
    for _ in range(5):
        page.keyboard.down("Enter")
    second = gone_on(page, first)
    page.keyboard.up("Enter")
    press(page, "1")
    before = posts()
    # Held since before this page: the first press that the page sees is a repeated one.
    page.keyboard.down("x")
    page.evaluate(
        """() => document.activeElement.dispatchEvent(
          new KeyboardEvent("keydown", {key: "Enter", repeat: true, bubbles: true, cancelable: true}))"""
    )
    page.keyboard.up("x")
    wrote(page)
    assert item(page) == second
    assert posts() == before
    assert len(stored(site, reader)) == 1


def test_single_keys_are_letters_while_one_writes(page, posts):
    before = posts()
    assert press(page, "n")["name"] == "note"
    written = "12 30 b f l u n"
    page.keyboard.type(written)
    page.keyboard.press("Enter")
    assert focus(page)["name"] == "note"
    expect(page.locator("textarea[name=note]")).to_have_value(f"{written}\n")
    assert chosen(page) == 0
    assert posts() == before
    press(page, "Escape")
    assert focus(page)["tag"] == "SUMMARY"
    press(page, "1")
    assert chosen(page) == 1


def test_single_keys_can_be_switched_off_and_stay_off(page, site, reader):
    first = item(page)
    tab_to(page, page.locator("summary", has_text="Keys"), key="Shift+Tab")
    press(page, "Enter")
    tab_to(page, page.locator("input[name=keys]"))
    with page.expect_response("**/preferences/"):
        press(page, "Space", "Escape")
    assert focus(page)["tag"] == "SUMMARY"
    press(page, "2", "0", "n", "f")
    assert chosen(page) == 0
    assert page.locator(".acts details[open]").count() == 0
    page.reload()
    expect(page.locator("main h1")).to_be_focused()
    press(page, "2")
    assert chosen(page) == 0

    tab_to(page, candidate(page, 1))
    press(page, "Space", "ArrowDown")
    expect(candidate(page, 2)).to_be_checked()
    tab_to(page, page.get_by_role("button", name="Submit and go on"))
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert len(stored(site, reader)) == 1


def test_later_stores_nothing_and_the_item_comes_back(page, site, reader):
    first = item(page)
    page.keyboard.press("l")
    second = gone_on(page, first)
    expect(page.locator("#status")).to_have_text("Put off for later.")
    assert stored(site, reader) == []
    seen = [second]
    for _ in range(3):
        press(page, "1")
        page.keyboard.press("Enter")
        seen.append(gone_on(page, seen[-1]))
    assert seen[-1] == first
    press(page, "1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    assert len(stored(site, reader)) == 4


def test_submitting_nothing_explains_itself_and_takes_the_focus(page, site, reader):
    first = item(page)
    tab_to(page, page.get_by_role("button", name="Submit and go on"))
    page.keyboard.press("Enter")
    expect(page.locator(".errors")).to_be_focused()
    assert focus(page)["id"] == f"error-{first}"
    expect(page).to_have_title(re.compile("^Not saved"))
    press(page, "Tab", "Enter")
    focused(page, f"#position-{first}")
    press(page, "2")
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert [each["revision"] for each in stored(site, reader)] == [1]


def test_enter_on_an_untouched_item_says_what_is_missing_and_leads_there(page, posts, site, reader):
    first, before, line = item(page), posts(), page.locator("[data-wanting]")
    press(page, "Enter")
    expect(line).to_have_text("Choose the passage that belongs in the gap, or say that you can’t decide.")
    expect(line).to_be_in_viewport(ratio=1)
    expect(page.locator("#status")).to_have_text(line.inner_text())
    assert focus(page)["id"] == f"position-{first}"
    assert page.evaluate("scrollY") == 0
    assert axe.violations(page) == []
    press(page, "Enter")
    assert focus(page)["id"] == f"position-{first}"
    assert posts() == before
    press(page, "2")
    expect(line).to_be_hidden()
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert len(stored(site, reader)) == 1

    page.keyboard.press("p")
    page.wait_for_url(f"**/work/{first}/")
    press(page, "Enter")
    expect(line).to_have_text(
        "You have changed nothing on this page. “Save the change” sends the answer as it is."
    )
    assert focus(page)["tag"] == "H1"
    assert len(stored(site, reader)) == 1


def test_a_note_goes_with_the_answer(page, site, reader):
    first = item(page)
    press(page, "3", "n")
    page.keyboard.type("The “lamps” decide it.")
    press(page, "Escape")
    tab_to(page, candidate(page, 3), key="Shift+Tab")
    page.keyboard.press("Enter")
    gone_on(page, first)
    (judgment,) = stored(site, reader)
    assert judgment["note"] == "The “lamps” decide it."
    assert judgment["active_seconds"] is not None


def test_the_study_can_close_while_one_reads(page, site, reader):
    press(page, "2")
    site.ask("close", study=reader["study"])
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_have_text("Kept, but too late to count")
    expect(page.locator("main h1")).to_be_focused()
    # Nothing of the item that was there stands round it, and nothing leads back to what is closed.
    expect(page).to_have_title(re.compile("^Kept, but too late"))
    expect(page.locator("#where")).to_have_text(reader["title"])
    for gone in ("[data-find]", "[data-sitting]", "details:has(form.keys)"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.get_by_role("button", name="Go on")).to_have_count(0)
    expect(page.locator("main").get_by_role("link", name="Go to your page")).to_be_visible()
    assert stored(site, reader) == []

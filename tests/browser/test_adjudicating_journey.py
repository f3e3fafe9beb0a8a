"""The whole way of an adjudicator by keyboard alone, and what a reader sees of it after the closing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.backstage import PASSWORD
from tests.browser.reading import press, press_on, tab_to, write

ADOPTED = "The sentence before the gap names the sea."
OWN = "Neither: only the third passage has a lamp."
REVISED = "On second thoughts, neither reading holds."


@pytest.fixture
def bench(site):
    return site.ask("disagreement")


def signed_in(page, user):
    page.goto("/")
    expect(page.locator("h1")).to_have_text("Sign in")
    write(page, "Username", user)
    write(page, "Password", PASSWORD)
    press(page, "Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("You decide what its readers leave open.")


def settles(page, number):
    expect(page.locator(".crumbs")).to_contain_text(f"Item {number}")
    tab_to(page, page.locator("[name=choice]").first.or_(page.locator("[name=choice]:checked")).first)


def moved_to(page, choice):
    """Go down the readings with the arrow until this one is picked."""
    for _ in range(6):
        if choice.is_checked():
            return
        press(page, "ArrowDown")
    raise AssertionError("The arrow does not reach it.")


def own_answer(page, words):
    """Say that the answer is one's own, and choose the passage of these words below the readings."""
    moved_to(page, page.locator("[data-own]"))
    tab_to(page, page.locator(".own input").first)
    press(page, "Space")
    moved_to(page, page.locator(".own .candidate", has_text=words).locator("input"))
    expect(page.locator("[data-own]")).to_be_checked()
    picked = page.locator(".own .candidate:has(:checked) .candidate-text")
    expect(page.locator(".gap-text")).to_have_text(picked.inner_text())


def reasoned(page, why, button):
    write(page, "Why", why)
    assert axe.audit(page, forced=True) == []
    press_on(page, page.get_by_role("button", name=button))


def test_from_signing_in_to_what_the_reader_sees_of_it(visit, site, bench):
    page = visit(reduced_motion="reduce")
    signed_in(page, bench["cleo"])
    assert axe.audit(page, forced=True) == []
    press_on(page, page.get_by_role("link", name="Decide on items"))
    expect(page.locator(".lead")).to_have_text("2 items wait for a decision; 0 of 3 are decided.")
    assert axe.audit(page, forced=True) == []
    press_on(page, page.get_by_role("link", name="Decide on item 1"))

    settles(page, 1)
    press(page, "Space")
    adopted = page.locator("label.said:has(:checked) .said-words").inner_text()
    expect(page.locator(".gap-text")).to_have_text(adopted)
    reasoned(page, ADOPTED, "Decide and go on")
    expect(page.locator(".messages")).to_have_text("Item 1 is decided, revision 1.")

    settles(page, 2)
    press(page, "Space")
    own_answer(page, "the third passage.")
    reasoned(page, OWN, "Decide and go on")
    expect(page.locator(".messages")).to_have_text("Item 2 is decided, revision 1.")
    expect(page.locator(".lead")).to_have_text("Nothing waits for a decision; 2 of 3 are decided.")
    assert axe.audit(page, forced=True) == []

    press_on(page, page.get_by_role("link", name="Item 1"))
    settles(page, 1)
    expect(page.locator("main .notice")).to_contain_text(ADOPTED)
    own_answer(page, "the third passage.")
    reasoned(page, REVISED, "Decide again, as revision 2")
    expect(page.locator(".messages")).to_have_text("Item 1 is decided, revision 2.")
    seen_by_the_reader(visit, site, bench)


def seen_by_the_reader(visit, site, bench):
    """Nothing while the study is open; then each decision on an item of theirs, as it stands."""
    page = visit(bench["ada"], reduced_motion="reduce")
    page.goto("/")
    press_on(page, page.get_by_role("link", name="What you have done"))
    expect(page.locator("table")).to_be_visible()
    expect(page.get_by_role("link", name="What was decided")).to_have_count(0)
    site.ask("close", study=bench["study"])

    tab_to(page, page.get_by_role("link", name="Variorum", exact=True), key="Shift+Tab")
    page.keyboard.press("Enter")
    press_on(page, page.get_by_role("link", name="What you have done"))
    press_on(page, page.get_by_role("link", name="What was decided on your items"))
    expect(page.locator("h1")).to_have_text("What was decided on your items")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    for row, why in zip(rows.all(), (REVISED, OWN), strict=True):
        expect(row).to_contain_text("the third passage.")
        expect(row).to_contain_text("the first passage.")
        expect(row).to_contain_text(why)
    expect(page.locator("main")).not_to_contain_text(ADOPTED)
    expect(page.locator("main")).not_to_contain_text(bench["cleo"])
    assert axe.audit(page, forced=True) == []
    said = [
        (each["revision"], each["answer"]["option"]) for each in site.ask("judgments", study=bench["study"])
    ]
    assert said == [(1, option) for option in (0, 0, 1, 1, 1, 1)], "what the readers said stays"

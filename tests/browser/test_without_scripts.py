"""The reader's way in a browser that runs no scripts: whole pages, the same record."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.backstage import PASSWORD
from tests.browser.reading import item, saved, stored


@pytest.fixture
def page(visit, reader):
    page = visit(reader["user"], java_script_enabled=False)
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    return page


def submit(page):
    page.get_by_role("button", name="Submit and go on").click()


def another(page, than):
    """Wait for the page of another item."""
    expect(page.locator("[data-item]")).not_to_have_attribute("data-item", than)
    return item(page)


def test_every_act_works_without_scripts(page, site, reader):
    first = item(page)
    page.locator(".candidate").nth(1).click()
    submit(page)
    another(page, first)
    expect(saved(page)).to_contain_text("· item 1")

    page.get_by_role("button", name="Later").click()
    expect(page.locator("#where")).to_contain_text("item 3 of 4")
    page.locator("summary", has_text="Can’t decide").click()
    here = item(page)
    page.locator("[name=undecided]").first.click()

    reported = another(page, here)
    page.locator("summary", has_text="Something is wrong").click()
    page.get_by_label("What is wrong with it?").fill("It ends in the middle.")
    page.get_by_role("button", name="Report it and go on").click()

    another(page, reported)
    page.get_by_role("link", name="Previous item").click()
    page.wait_for_url(f"**/work/{first}/")
    page.locator(".candidate").first.click()
    page.get_by_role("button", name="Save the change").click()

    another(page, first)
    page.locator(".candidate").last.click()
    submit(page)
    expect(page.locator("h1")).to_have_text("All done, thank you")
    outcomes = [(each["revision"], each["outcome"]) for each in stored(site, reader)]
    assert sorted(outcomes) == [(1, "answer"), (1, "answer"), (1, "broken"), (1, "undecided"), (2, "answer")]


def test_an_empty_answer_is_refused_in_words(page, site, reader):
    submit(page)
    expect(page).to_have_title(re.compile("^Not saved"))
    expect(page.locator(".errors")).to_contain_text("Choose the passage that belongs in the gap")
    expect(page.locator(".errors")).to_be_focused()
    assert stored(site, reader) == []


def test_R06_an_answer_sent_after_the_login_ended_is_a_draft_when_one_is_back(page, site, reader):
    first = item(page)
    page.locator(".candidate").nth(1).click()
    page.locator("summary", has_text="Note").click()
    page.get_by_label("Note to the researcher").fill("Written before the login ended.")
    site.ask("expire")
    submit(page)
    for password, then in (("not the password", ".errors"), (PASSWORD, "[data-item]")):
        page.get_by_label("Username").fill(reader["user"])
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(then)).to_be_visible()
    assert item(page) == first
    expect(page.locator("[data-keeping]")).to_contain_text("is here again. It is not submitted.")
    expect(page.get_by_label("Note to the researcher")).to_have_value("Written before the login ended.")
    expect(page.locator(".candidate").nth(1).locator("input")).to_be_checked()
    assert stored(site, reader) == []
    submit(page)
    another(page, first)
    assert stored(site, reader)[0]["note"] == "Written before the login ended."


def test_nothing_is_shown_that_needs_a_script(page):
    for needless in (".js-only", ".gap-back", "kbd"):
        expect(page.locator(f"{needless}:visible")).to_have_count(0)

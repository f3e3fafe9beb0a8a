"""From an invitation link to the first item, and back to it after a login that has run out."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.backstage import PASSWORD
from tests.browser.reading import candidate, chosen, focus, gone_on, item, press, saved, stored, tab_to


def test_an_invitation_leads_to_the_first_item_by_keyboard(visit, site, reader):
    page = visit()
    page.goto(site.ask("invitation", study=reader["study"]))
    said = {"User name": f"ben-{reader['study']}", "What shall we call you": "Ben"}
    said |= {"Password": PASSWORD, "The same password again": PASSWORD}
    for label, text in said.items():
        tab_to(page, page.get_by_label(label, exact=label == "Password"))
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(reader["title"])
    tab_to(page, page.get_by_role("button", name="Begin"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()
    press(page, "1")
    first = item(page)
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert len(stored(site, reader)) == 1


def test_a_mistake_in_the_form_takes_the_focus(visit, site, reader):
    page = visit()
    page.goto(site.ask("invitation", study=reader["study"]))
    page.locator("form.form").evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.locator(".errors")).to_be_focused()
    press(page, "Tab", "Enter")
    assert focus(page)["name"] == "username"


@pytest.fixture
def expired(visit, site, reader):
    """Item 1 with an answer and a note, and a login that is over."""
    page = visit(reader["user"])
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("main h1")).to_be_focused()
    press(page, "n")
    page.keyboard.type("Written before the login ended.")
    press(page, "Escape", "2")
    site.ask("expire")
    page.keyboard.press("Enter")
    page.wait_for_url("**/login/**")
    return page


def sign_in(page, reader):
    page.get_by_label("Username").fill(reader["user"])
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")


def test_what_was_chosen_is_there_after_signing_in_again(expired, site, reader):
    page = expired
    sign_in(page, reader)
    page.wait_for_url("**/work/*/")
    expect(candidate(page, 2)).to_be_checked()
    expect(page.locator("textarea[name=note]")).to_have_value("Written before the login ended.")
    expect(saved(page)).to_have_count(0)
    assert stored(site, reader) == []
    first = item(page)
    press(page, "Enter")
    gone_on(page, first)
    assert stored(site, reader)[0]["note"] == "Written before the login ended."


def test_another_person_at_the_machine_finds_nothing_of_it(expired, site, reader):
    page, other = expired, site.ask("reader")
    sign_in(page, other)
    page.wait_for_url("**/work/*/")
    expect(page.locator("h1")).to_have_text("There is nothing here")
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    assert chosen(page) == 0
    assert "Written before" not in page.content()
    kept = page.evaluate("() => Object.keys(sessionStorage).concat(Object.values(localStorage))")
    assert "variorum.waiting" not in kept

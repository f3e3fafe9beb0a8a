"""From an invitation link to the first item."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.reading import focused, follow, gone_on, item, make_account, press, stored, tab_to


def test_an_invitation_leads_to_the_first_item_by_keyboard(visit, site, reader):
    page = visit()
    follow(page, site.ask("invitation", study=reader["study"]))
    make_account(page, f"ben-{reader['study']}", "Ben")
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
    follow(page, site.ask("invitation", study=reader["study"]))
    page.locator("form.form").evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.locator(".errors")).to_be_focused()
    press(page, "Tab", "Enter")
    focused(page, "[name=username]")

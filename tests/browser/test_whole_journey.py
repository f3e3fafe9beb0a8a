"""The whole way of a reader by keyboard alone: invited, asked, tried out, at work, offline, done."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import candidate, focus, follow, gone_on, item, make_account, press, saved, tab_to

MEANT = ("ERR_INTERNET_DISCONNECTED",)


@pytest.fixture
def study(site):
    return site.ask("whole_study")


@pytest.fixture
def page(visit, watches):
    page = visit(reduced_motion="reduce")
    yield page
    for watch in watches:
        watch.complaints[:] = [each for each in watch.complaints if not any(why in each for why in MEANT)]


def press_button(page, name):
    tab_to(page, page.get_by_role("button", name=name))
    page.keyboard.press("Enter")


def joined(page, site, study):
    follow(page, site.ask("invitation", study=study))
    make_account(page, f"ada-{study}", "Ada")
    page.wait_for_url("**/begin/**")


def agreed_and_practised(page):
    if page.get_by_role("button", name="I agree").count() == 0:
        tab_to(page, page.locator("main").get_by_role("button").or_(page.locator("main a.primary")).first)
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Before you begin")
    assert axe.violations(page) == []
    press_button(page, "I agree")
    page.wait_for_url("**/work/*/")
    right = page.locator(".candidate", has_text="the second passage.").locator("input")
    tab_to(page, page.locator(".candidate input").first)
    press(page, "Space")
    while not right.is_checked():
        press(page, "ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("h2").first).to_have_text("That is right")
    assert axe.violations(page) == []
    expect(page.get_by_role("button", name="Begin the work")).to_be_visible()
    # Not the second half of the press that submitted.
    page.wait_for_function("() => performance.now() > 2500")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_be_focused()


def test_from_the_invitation_to_the_last_item(page, site, study):
    joined(page, site, study)
    agreed_and_practised(page)
    first = item(page)
    press(page, "2")
    page.keyboard.press("Enter")
    second = gone_on(page, first)
    page.keyboard.press("p")
    page.wait_for_url(f"**/work/{first}/")
    expect(candidate(page, 2)).to_be_checked()
    press(page, "3", "Enter")
    gone_on(page, first)
    assert item(page) == second
    expect(saved(page)).to_contain_text("item 1 · changed")
    page.keyboard.press("l")
    third = gone_on(page, second)
    press(page, "0")
    page.keyboard.press("Enter")
    fourth = gone_on(page, third)

    press(page, "1", "n")
    page.keyboard.type("The lamps ")
    page.context.set_offline(True)
    page.keyboard.type("decide it.")
    expect(page.locator("[data-keeping]")).to_contain_text("Your words are kept in this browser")
    assert focus(page)["name"] == "note"
    page.context.set_offline(False)
    expect(page.locator("[data-keeping]")).to_contain_text("Draft saved")
    press(page, "Escape")
    candidate(page, 1).focus()
    page.keyboard.press("Enter")
    fifth = gone_on(page, fourth)
    press(page, "2")
    page.keyboard.press("Enter")
    assert gone_on(page, fifth) == second, "what was put off comes back at the end"
    press(page, "2")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    expect(page.locator("main h1")).to_be_focused()
    assert axe.audit(page) == []

    worked = {int(each) for each in (first, second, third, fourth, fifth)}
    work = [each for each in site.ask("judgments", study=study) if each["assignment"] in worked]
    assert [(each["revision"], each["outcome"]) for each in work] == [
        (1, "answer"), (2, "answer"), (1, "undecided"), (1, "answer"), (1, "answer"), (1, "answer"),
    ]  # fmt: skip
    assert [each["note"] for each in work if each["note"]] == ["The lamps decide it."]

"""Links that let one person in: the button, the question, the second time, and without scripts."""

from __future__ import annotations

import re
from unittest.mock import ANY
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.backstage import PASSWORD
from tests.browser.reading import come_by, follow, tab_to

CODE = re.compile(r"[\w-]{43}")


@pytest.fixture
def link(site, reader):
    return site.ask("signin_link", user=reader["user"])


def button(page, name="Ada"):
    return page.get_by_role("button", name=f"Sign in as {name}")


def test_from_the_link_by_its_button_to_ones_page_by_keyboard(visit, link):
    page = visit()
    asked = []
    page.on("request", lambda request: asked.append((request.method, request.url, request.headers)))
    follow(page, link)
    expect(page.locator("h1")).to_have_text("Sign in as Ada")
    expect(page.locator("main").get_by_role("button")).to_have_count(1)
    tab_to(page, button(page))
    page.keyboard.press("Enter")
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ada")
    steps = [(method, urlsplit(url).path) for method, url, _ in asked if "/signin/" in url]
    assert steps == [("GET", "/signin/"), ("POST", "/signin/"), ("GET", ANY), ("POST", ANY)]
    # Nowhere in what a server or a proxy could log, and nowhere in the browser's own history.
    code = CODE.search(link).group()
    assert [each for each in asked if code in str(each)] == []
    # Who goes back is signed in, and at home.
    page.go_back()
    page.wait_for_url("/")
    assert code not in page.content()


def test_the_second_time_a_link_says_so_and_a_new_one_can_be_pasted_over_it(visit, site, reader, link):
    come_by(visit(), link)
    page = visit()
    follow(page, link)
    expect(page.locator("h1")).to_have_text("This link signs nobody in")
    expect(page.locator("main")).to_contain_text("Ask whoever sent it for a new one")
    # In the address bar, where only what stands behind the # changes: the page is not loaded anew.
    new = site.ask("signin_link", user=reader["user"]).partition("#")[2]
    page.evaluate("code => { location.hash = code; }", new)
    button(page).click()
    page.wait_for_url("/")


def test_a_code_pasted_behind_a_page_without_a_field_leaves_it_as_it_was(visit, link):
    page, errors = visit(), []
    page.on("pageerror", lambda error: errors.append(error))
    follow(page, link)
    expect(button(page)).to_be_visible()
    page.evaluate("code => { location.hash = code; }", "x" * 43)
    page.wait_for_function("!location.hash && !('link' in document.documentElement.dataset)")
    expect(button(page)).to_be_visible()
    assert errors == []


def test_a_double_click_is_one_press(visit, link):
    page = visit()
    follow(page, link)
    button(page).dblclick()
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ada")


def test_whoever_is_signed_in_as_somebody_else_is_asked(visit, reader, link):
    page = visit("ben")
    follow(page, link)
    expect(page.locator("h1")).to_have_text("Sign in as Ada instead?")
    expect(page.locator("main")).to_contain_text("You are signed in as Ben.")
    page.get_by_role("link", name="Stay signed in as Ben").click()
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ben")
    follow(page, link)
    button(page).click()
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ada")


def test_words_that_wait_in_the_browser_are_asked_about_as_at_any_sign_out(visit, link):
    page = visit("ben")
    page.goto("/")
    page.evaluate(
        """() => {
          const name = `variorum.kept.${document.documentElement.dataset.user}.1`;
          localStorage.setItem(name, JSON.stringify({fields: {}}));
        }"""
    )
    follow(page, link)
    said, answers = [], [False, True]

    def answer(dialog):
        said.append(dialog.message)
        dialog.accept() if answers.pop(0) else dialog.dismiss()

    page.on("dialog", answer)
    button(page).click()
    expect(page.locator("h1")).to_have_text("Sign in as Ada instead?")
    button(page).click()
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ada")
    assert len(said) == 2
    assert "not saved yet" in said[0]
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('variorum.kept'))") == []


def test_without_scripts_the_link_is_pasted(visit, site, reader, link):
    page = visit(java_script_enabled=False)
    page.goto(link)
    page.get_by_label("Your link").fill(f"{site.url}{link}")
    page.get_by_role("button", name="Go on").click()
    button(page).click()
    page.wait_for_url("/")
    expect(page.locator(".tools")).to_contain_text("Ada")


def test_without_scripts_an_invitation_is_pasted(visit, site, reader):
    page = visit(java_script_enabled=False)
    path = site.ask("invitation", study=reader["study"])
    page.goto(path)
    page.get_by_label("Your link").fill(f"{site.url}{path}")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("h1")).to_have_text(reader["title"])
    expect(page.get_by_role("button", name="Make the account and join")).to_be_visible()


def test_an_invitation_of_before_still_leads_to_its_study(visit, site, reader):
    page = visit()
    code = site.ask("invitation", study=reader["study"]).partition("#")[2]
    follow(page, f"/join/{code}/")
    expect(page.locator("h1")).to_have_text(reader["title"])


def test_a_forgotten_password_is_mended_within_the_hour(visit, site, reader):
    page, new = visit(), f"{PASSWORD}, and another"
    follow(page, site.ask("signin_link", user=reader["user"], kind="password"))
    page.get_by_label("New password").fill(new)
    page.get_by_label("The same password again").fill(new)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("/")
    expect(page.locator("main")).to_contain_text("Your password is set")
    other = visit()
    other.goto("/login/")
    other.get_by_label("Username").fill(reader["user"])
    other.get_by_label("Password").fill(new)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url("/")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("join", "No study invites by this link."),
        ("signin", "This link signs nobody in"),
        ("password/new", "This link sets no password"),
    ],
)
def test_a_link_that_was_cut_off_is_said_to_lead_nowhere(visit, kind, said):
    page = visit()
    follow(page, f"/{kind}/#12.abcdefghij")
    expect(page.locator("main")).to_contain_text(said)

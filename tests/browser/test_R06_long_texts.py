"""R06: a reason, a message or a consent that somebody writes is there again, however its page was left."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.backstage import PASSWORD
from tests.browser.scenery_adjudicating import JO

WORDS = "The lamp is lit in the second book only."


@pytest.fixture(params=["reason", "consent", "guidelines"])
def written(request, visit, site, reader):
    """A page with a long text on it, the text, and who writes it."""
    if request.param == "reason":
        told = site.ask("disagreement")
        who, address, label = told["cleo"], f"/adjudicate/{told['study']}/1/", "Why"
    else:
        who = site.ask("researcher_of", study=reader["study"])
        address = (
            f"/manage/{reader['study']}/{'guidelines' if request.param == 'guidelines' else 'setup/consent'}/"
        )
        label = None
    page = visit(who, reduced_motion="reduce")
    page.goto(address)
    text = page.get_by_label(label) if label else page.locator("main textarea").first
    return page, text, who


def kept(page):
    return page.evaluate("() => Object.keys(localStorage).filter((name) => name.startsWith('variorum.kept'))")


def again(page):
    return page.locator(".keeping", has_text="is here again. It is not sent.")


def test_it_is_there_after_a_reload_and_after_going_away(written):
    page, text, _ = written
    text.fill(WORDS)
    page.reload()
    expect(text).to_have_value(WORDS)
    expect(again(page)).to_be_visible()
    assert axe.audit(page, forced=True) == []
    page.goto("/")
    page.go_back()
    expect(text).to_have_value(WORDS)
    page.get_by_role("button", name="Discard it").click()
    expect(text).not_to_have_value(WORDS)
    page.reload()
    expect(again(page)).to_have_count(0)
    assert kept(page) == []


def test_a_reason_sent_after_the_login_ended_waits_for_its_writer(visit, site):
    told = site.ask("disagreement")
    page = visit(told["cleo"])
    page.goto(f"/adjudicate/{told['study']}/1/")
    page.locator("[name=choice]").first.check()
    page.get_by_label("Why").fill(WORDS)
    site.ask("expire")
    page.get_by_role("button", name="Decide and go on").click()
    page.wait_for_url("**/login/**")
    page.get_by_label("Username").fill(told["cleo"])
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/adjudicate/**")
    expect(page.get_by_label("Why")).to_have_value(WORDS)
    page.locator("[name=choice]").first.check()
    page.get_by_role("button", name="Decide and go on").click()
    expect(page.locator(".messages")).to_contain_text("is decided, revision 1.")
    assert kept(page) == []


def test_what_was_taken_or_refused_in_words_is_not_brought_again(visit, world):
    page = visit(JO, reduced_motion="reduce")
    page.goto(f"/adjudicate/tide-simulated/{world['choice_waits']}/")
    page.get_by_label("Why").fill(WORDS)
    page.get_by_role("button", name="Decide and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    expect(page.get_by_label("Why")).to_have_value(WORDS)
    expect(again(page)).to_have_count(0)


def test_a_text_that_has_changed_since_is_not_replaced(visit, site, reader):
    who = site.ask("researcher_of", study=reader["study"])
    page, other = visit(who), visit(who)
    address = f"/manage/{reader['study']}/guidelines/"
    page.goto(address)
    text = page.locator("main textarea").first
    text.fill(WORDS)
    page.goto("/")
    other.goto(address)
    other.locator("main textarea").first.fill("Newer.")
    other.locator("main form button.primary").first.click()
    expect(other.locator(".messages")).to_be_visible()
    page.goto(address)
    expect(text).to_have_value("Newer.")
    expect(page.locator(".keeping")).to_contain_text(WORDS)
    page.reload()
    page.get_by_role("button", name="Put it here").click()
    expect(text).to_have_value(WORDS)


def test_sign_out_asks_and_nothing_remains(visit, site, reader):
    page = visit(site.ask("researcher_of", study=reader["study"]))
    page.goto(f"/manage/{reader['study']}/guidelines/")
    page.locator("main textarea").first.fill(WORDS)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.locator("details.tool summary").last.click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    assert ["only in this browser" in each for each in asked] == [True]
    assert kept(page) == []


def test_two_tabs_at_one_page_lose_nothing_of_each_other(written):
    page, text, _ = written
    untouched, other = (page.context.new_page() for _ in range(2))
    for tab in (untouched, other):
        tab.goto(page.url)
    other.get_by_label("Why").or_(other.locator("main textarea")).first.fill("In the other tab.")
    other.goto("/")
    text.fill(WORDS)
    address = page.url
    page.goto("/")
    # Nothing was written here: nothing is lost by leaving it.
    untouched.goto("/")
    page.goto(address)
    expect(text).to_have_value(WORDS)
    also = page.locator(".keeping", has_text="You also wrote here")
    expect(also).to_contain_text("In the other tab.")
    assert axe.audit(page, forced=True) == []
    page.get_by_role("button", name="Put it here").click()
    expect(text).to_have_value("In the other tab.")
    expect(also).to_contain_text(WORDS)
    page.reload()
    expect(text).to_have_value("In the other tab.")
    expect(also).to_contain_text(WORDS)
    for button in page.get_by_role("button", name="Discard it").all()[::-1]:
        button.click()
    assert kept(page) == []


def test_a_refused_text_is_there_again_when_its_page_is_left(visit, site, reader):
    who = site.ask("researcher_of", study=reader["study"])
    page, other = visit(who), visit(who)
    address = f"/manage/{reader['study']}/guidelines/"
    for each in (page, other):
        each.goto(address)
    other.locator("main textarea").first.fill("Newer.")
    other.locator("main form button.primary").first.click()
    expect(other.locator(".messages")).to_be_visible()
    text = page.locator("main textarea").first
    text.fill(WORDS)
    page.locator("main form button.primary").first.click()
    expect(page.locator("main .error")).to_be_visible()
    expect(text).to_have_value(WORDS)
    page.goto("/")
    page.goto(address)
    expect(text).to_have_value(WORDS)
    expect(again(page)).to_be_visible()
    page.locator("main form button.primary").first.click()
    expect(page.locator(".messages")).to_be_visible()
    expect(text).to_have_value(WORDS)
    assert kept(page) == []


def test_a_reason_refused_for_another_windows_decision_is_there_again(visit, site):
    told = site.ask("disagreement")
    page, other = visit(told["cleo"]), visit(told["cleo"])
    address = f"/adjudicate/{told['study']}/1/"
    for each, why in ((other, "The other reason."), (page, WORDS)):
        each.goto(address)
        each.locator("[name=choice]").first.check()
        each.get_by_label("Why").fill(why)
    other.get_by_role("button", name="Decide and go on").click()
    expect(other.locator(".messages")).to_be_visible()
    page.get_by_role("button", name="Decide and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    expect(page.get_by_label("Why")).to_have_value(WORDS)
    page.goto("/")
    page.goto(address)
    expect(page.get_by_label("Why")).to_have_value(WORDS)
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_label("Why")).to_have_value("The other reason.")
    assert kept(page) == []

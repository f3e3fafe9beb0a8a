"""A note, the researcher's answer, the reader's reply; undo and history; back, refresh and two tabs (R07)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import (
    begun_by,
    candidate,
    chosen,
    focus,
    gone_on,
    item,
    press,
    saved,
    stored,
    tab_to,
)


@pytest.fixture
def page(visit, reader):
    return begun_by(visit, reader)


def judge(page, key="2", note=""):
    first = item(page)
    if note:
        press(page, "n")
        page.keyboard.type(note)
        press(page, "Escape")
    press(page, key)
    page.keyboard.press("Enter")
    return first, gone_on(page, first)


def test_a_note_becomes_a_talk_by_keyboard(page, visit, site, reader):
    first, _ = judge(page, note="Is the second passage cut off?")
    dora = visit(site.ask("researcher_of", study=reader["study"]), reduced_motion="reduce")
    dora.goto(f"/manage/{reader['study']}/notes/")
    tab_to(dora, dora.locator("summary", has_text="Answer"))
    press(dora, "Enter", "Tab")
    assert focus(dora)["tag"] == "TEXTAREA"
    dora.keyboard.type("It is, thank you.")
    tab_to(dora, dora.get_by_role("button", name="Send to reader A"))
    dora.keyboard.press("Enter")
    expect(dora.locator(".messages")).to_contain_text("Reader A sees your answer")
    assert axe.audit(dora, forced=True) == []

    page.reload()
    expect(page.get_by_role("link", name="1 new reply from the researcher")).to_be_visible()
    assert axe.violations(page) == []
    # It counts as read once it has been in view for a moment: in a tall window while axe looks.
    with page.expect_response("**/messages/") as seen:
        page.goto(f"/work/{first}/")
        thread = page.get_by_role("region", name=re.compile("You and the researcher"))
        expect(thread).to_contain_text("It is, thank you.")
        assert axe.audit(page, forced=True) == []
        thread.scroll_into_view_if_needed()
    assert seen.value.status == 204
    thread.get_by_label("Answer").fill("I see.")
    page.reload()
    expect(thread.get_by_label("Answer")).to_have_value("I see.")
    thread.get_by_role("button", name="Send").click()
    expect(page.locator(".messages")).to_contain_text("Sent to the researcher")
    expect(thread).to_contain_text("I see.")

    page.goto(f"/studies/{reader['study']}/messages/")
    assert axe.audit(page, forced=True) == []
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".errors")).to_be_focused()
    assert axe.audit(page) == []
    dora.reload()
    expect(dora.locator("td.thread")).to_contain_text("New")
    assert axe.audit(dora) == []


def test_a_message_beside_an_item_outlives_the_item_that_is_submitted(page, visit, site, reader):
    first, _ = judge(page, note="Is the second passage cut off?")
    page.goto(f"/work/{first}/")
    dora = visit(site.ask("researcher_of", study=reader["study"]))
    dora.goto(f"/manage/{reader['study']}/notes/")
    dora.locator("summary", has_text="Answer").click()
    dora.locator("textarea").first.fill("It is, thank you.")
    dora.get_by_role("button", name="Send to reader A").click()
    expect(dora.locator(".messages")).to_contain_text("Reader A sees your answer")
    # The thread was not there when the page was loaded: it comes with what is swapped in.
    with page.expect_response("**/writing*.js") as script:
        page.locator("summary", has_text="Something is wrong").click()
        page.get_by_role("button", name="Report it and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    page.evaluate("(address) => import(address).then(() => null)", script.value.url)
    message = page.get_by_role("region", name=re.compile("You and the researcher")).get_by_label("Answer")
    for key in (1, 3):
        message.fill("I see.")
        candidate(page, key).check()
        page.get_by_role("button", name=re.compile("^Save the change")).click()
        gone_on(page, first)
        page.go_back()
        expect(page.locator("[data-item]")).to_have_attribute("data-item", first)
        expect(message).to_have_value("I see.")
    # Swapped in again at the same item.
    page.locator("summary", has_text="Something is wrong").click()
    page.get_by_role("button", name="Report it and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    expect(message).to_have_value("I see.")


def test_previous_item_by_key_every_revision_in_the_history_and_take_back(page, site, reader):
    first, _ = judge(page, "2")
    expect(page.get_by_role("button", name=re.compile("^Take back your answer to item 1"))).to_have_count(2)
    page.keyboard.press("p")
    page.wait_for_url(f"**/work/{first}/")
    expect(candidate(page, 2)).to_be_checked()
    press(page, "3")
    page.get_by_role("button", name="Save the change").click()
    gone_on(page, first)
    expect(saved(page)).to_contain_text("item 1 · changed")
    page.goto(f"/studies/{reader['study']}/done/")
    page.get_by_text("Before that").click()
    expect(page.locator(".earlier li")).to_contain_text("20")
    assert axe.audit(page, forced=True) == []
    page.locator("main h1").focus()
    page.keyboard.press("u")
    page.wait_for_url(f"**/work/{first}/")
    expect(candidate(page, 2)).to_be_checked()
    expect(page.locator(".messages")).to_contain_text("what you had answered before counts again")


def test_R07_back_and_refresh_show_the_same_item_and_never_a_second_judgment(page, site, reader):
    first, second = judge(page, "2")
    page.reload()
    assert item(page) == second
    page.go_back()
    expect(page.locator("[data-item]")).to_have_attribute("data-item", first)
    expect(candidate(page, 2)).to_be_checked()
    expect(page.get_by_role("button", name="Save the change")).to_be_visible()
    press(page, "1")
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert item(page) == second
    assert [each["revision"] for each in stored(site, reader)] == [1, 2]


def test_R07_a_second_tab_is_told_what_the_first_one_did(page, site, reader):
    other = page.context.new_page()
    other.goto(page.url)
    first, _ = judge(page, "2")
    press(other, "3")
    both = other.locator("[data-both]")
    expect(both).to_contain_text("In another window you submitted")
    expect(candidate(other, 3)).to_be_focused()
    assert axe.audit(other, forced=True) == []
    # Who has not chosen between them submits nothing.
    other.keyboard.press("Enter")
    expect(both).to_be_focused()
    assert axe.audit(other, forced=True) == []
    assert (item(other), chosen(other)) == (first, 1)
    assert [each["revision"] for each in stored(site, reader)] == [1]
    expect(candidate(other, 3)).to_be_checked()
    both.get_by_role("button", name="Submit what I chose here").click()
    gone_on(other, first)
    assert [each["revision"] for each in stored(site, reader)] == [1, 2]


@pytest.mark.parametrize("scripts", [True, False])
def test_R07_what_the_other_window_has_can_be_kept(page, site, reader, visit, scripts):
    other = visit(reader["user"], java_script_enabled=scripts)
    other.goto(page.url)
    judge(page, "2")
    candidate(other, 3).check()
    note_in(other, "From the train.")
    other.get_by_role("button", name="Submit and go on").click()
    both = other.locator("[data-both]")
    expect(both).to_contain_text("Not submitted: two windows hold different things")
    expect(both).to_contain_text("Note: From the train.")
    both.get_by_role("button", name="Keep what the other window has").click()
    expect(both).to_have_count(0)
    expect(candidate(other, 2)).to_be_checked()
    expect(other.locator("textarea[name=note]")).to_have_value("From the train.")
    assert [each["revision"] for each in stored(site, reader)] == [1]


def note_in(page, text):
    """Write a note, with scripts and without."""
    if not page.locator("textarea[name=note]").is_visible():
        page.locator("summary", has_text="Note").click()
    page.locator("textarea[name=note]").fill(text)

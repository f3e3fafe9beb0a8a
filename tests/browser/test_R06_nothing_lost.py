"""R06, R03: the network goes, the login ends, the reply is lost; nothing is lost or counts twice."""

from __future__ import annotations

import re
from contextlib import contextmanager
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.backstage import PASSWORD
from tests.browser.reading import (
    begin,
    candidate,
    chosen,
    come_by,
    focus,
    gone_on,
    item,
    press,
    stop_the_clock,
    stored,
)

NOTE = "The lamps decide it."
MEANT = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "console: htmx:", "Response Status Error Code")


@pytest.fixture
def page(visit, reader, watches):
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto("/")
    begin(page)
    yield page
    for watch in watches:
        watch.complaints[:] = [each for each in watch.complaints if not any(why in each for why in MEANT)]


def keeping(page):
    return page.locator("[data-keeping]")


def note(page):
    return page.locator("textarea[name=note]")


def write(page, text=NOTE):
    press(page, "n")
    page.keyboard.type(text)


@contextmanager
def drafted(page, words=NOTE):
    """The block ends with these words in a draft: half of them may be saved before the rest."""

    def whole(reply):
        sent = parse_qs(reply.request.post_data or "")
        return reply.url.endswith("/draft/") and sent.get("note") == [words]

    with page.expect_response(whole):
        yield
    expect(keeping(page)).to_contain_text("Draft saved")


def in_browser(page):
    """Everything of ours that this browser keeps."""
    entries = """() => [localStorage, sessionStorage].flatMap(
      (store) => Object.entries(store).map((one) => one.join(" ")))"""
    # htmx keeps the address of the page, and nothing of what is on it; how long one has read is no text.
    others = ("htmx-current-path-for-history /", "variorum.sitting {")
    return [each for each in page.evaluate(entries) if not each.startswith(others)]


def sign_in(page, reader):
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_be_visible()
    expect(page.get_by_label("Username")).to_have_value(reader["user"])
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    focus(page)


def test_a_draft_is_saved_while_one_writes_and_is_there_on_another_machine(page, visit, site, reader):
    with drafted(page):
        press(page, "2")
        write(page)
    expect(keeping(page)).to_have_text(re.compile(r"^Draft saved \d\d:\d\d\. It is not submitted\.$"))
    assert axe.audit(page, forced=True) == []
    (draft,) = site.ask("drafts", study=reader["study"])
    assert (draft["note"], draft["position"]) == (NOTE, "1")
    assert in_browser(page) == []

    other = visit(reader["user"], reduced_motion="reduce")
    other.goto(page.url)
    expect(note(other)).to_have_value(NOTE)
    expect(candidate(other, 2)).to_be_checked()
    expect(keeping(other)).to_contain_text("is here again. It is not submitted.")
    assert axe.audit(other, forced=True) == []
    other.get_by_role("button", name="Discard it").click()
    expect(note(other)).to_have_value("")
    assert chosen(other) == 0
    assert site.ask("drafts", study=reader["study"]) == []
    assert stored(site, reader) == []


def test_R06_offline_in_a_note_then_the_login_ends_and_it_is_submitted_once(page, site, reader):
    first = item(page)
    press(page, "2")
    write(page, "The lamps ")
    page.context.set_offline(True)
    page.keyboard.type("decide it.")
    expect(keeping(page)).to_have_text("Not saved: no network. Your words are kept in this browser.")
    assert axe.audit(page, forced=True) == []
    assert any(NOTE in each for each in in_browser(page))

    site.ask("expire")
    page.context.set_offline(False)
    expect(keeping(page)).to_contain_text("Not saved: your sign-in has ended")
    expect(note(page)).to_be_focused()
    page.get_by_role("button", name="Sign in again").click()
    assert axe.audit(page, forced=True) == []
    sign_in(page, reader)
    expect(keeping(page)).to_contain_text("Draft saved")
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE

    press(page, "Escape")
    candidate(page, 2).focus()
    page.keyboard.press("Enter")
    gone_on(page, first)
    (judgment,) = stored(site, reader)
    assert judgment["note"] == NOTE
    assert site.ask("drafts", study=reader["study"]) == []
    assert in_browser(page) == []


def drafts_sent(page, watch, seconds):
    """How many drafts the page tries to send in so much time."""
    before = watch.posts.count(f"/work/{item(page)}/draft/")
    for _ in range(seconds):
        page.clock.run_for(1000)
        page.evaluate("() => fetch('/login/').catch(() => {})")
    return watch.posts.count(f"/work/{item(page)}/draft/") - before


def test_R06_a_page_that_waits_does_not_hammer_the_server(page, watches, site):
    stop_the_clock(page)
    page.reload()
    write(page)
    page.clock.run_for(2000)
    expect(keeping(page)).to_contain_text("Draft saved")
    page.context.set_offline(True)
    page.keyboard.type(" More.")
    page.clock.run_for(2000)
    expect(keeping(page)).to_contain_text("Not saved")
    assert 5 <= drafts_sent(page, watches[0], 40) <= 12, "about every four seconds"
    site.ask("expire")
    page.context.set_offline(False)
    page.clock.run_for(6000)
    expect(keeping(page)).to_contain_text("your sign-in has ended")
    assert drafts_sent(page, watches[0], 30) == 0


def test_R06_an_answer_given_offline_waits_and_is_sent_once(page, site, reader):
    first = item(page)
    with drafted(page):
        press(page, "3")
        write(page)
    press(page, "Escape")
    page.context.set_offline(True)
    candidate(page, 3).focus()
    page.keyboard.press("Enter")
    expect(keeping(page)).to_contain_text("Not submitted: no network. Your answer is kept in this browser")
    expect(page.locator("#status")).to_contain_text("Not submitted: no network.")
    assert axe.audit(page, forced=True) == []
    replies = []
    page.on("response", lambda reply: replies.append((reply.request.method, reply.url)))
    page.context.set_offline(False)
    gone_on(page, first)
    assert replies.count(("POST", f"{site.url}/work/{first}/")) == 1
    (judgment,) = stored(site, reader)
    assert (judgment["note"], judgment["revision"]) == (NOTE, 1)
    assert in_browser(page) == []


def test_R06_an_answer_given_offline_survives_the_closed_page(page, site, reader):
    first, address = item(page), page.url
    press(page, "1")
    expect(keeping(page)).to_contain_text("Draft saved")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(keeping(page)).to_contain_text("Not submitted")
    context = page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto("/")
    expect(again.locator("#alert")).to_contain_text("An answer you gave without a network")
    assert axe.audit(again) == []
    again.get_by_role("link", name="Open the item, and it is sent").click()
    gone_on(again, first)
    expect(again).not_to_have_url(address)
    assert len(stored(site, reader)) == 1


def test_R06_words_written_offline_survive_the_closed_page(page, site, reader):
    first = page.url
    with drafted(page, "The lamps "):
        write(page, "The lamps ")
    page.context.set_offline(True)
    page.keyboard.type("decide it.")
    expect(keeping(page)).to_contain_text("Your words are kept in this browser")
    context = page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(first)
    expect(note(again)).to_have_value(NOTE)
    expect(keeping(again)).to_contain_text("Draft saved")
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE
    # A page may still write while it is being closed; whoever opens the item next drops what the server has.
    again.reload()
    expect(note(again)).to_have_value(NOTE)
    assert in_browser(again) == []


def test_R06_words_of_this_browser_and_newer_ones_elsewhere_are_the_readers_to_choose(
    page, visit, site, reader
):
    with drafted(page, "Here. "):
        write(page, "Here. ")
    page.context.set_offline(True)
    page.keyboard.type("And offline.")
    expect(keeping(page)).to_contain_text("Your words are kept in this browser")
    context, address = page.context, page.url
    page.close()
    other = visit(reader["user"])
    other.goto(address)
    note(other).fill("Elsewhere, later.")
    expect(keeping(other)).to_contain_text("Draft saved")
    context.set_offline(False)
    again = context.new_page()
    again.goto(address)
    choice = again.locator("[data-both]")
    expect(choice).to_contain_text("In another window you chose, and did not submit")
    expect(choice).to_contain_text("Note: Elsewhere, later.")
    expect(choice).to_contain_text("Note: Here. And offline.")
    expect(note(again)).to_have_value("Here. And offline.")
    assert site.ask("drafts", study=reader["study"])[0]["note"] == "Elsewhere, later."
    assert axe.violations(again) == []
    again.get_by_role("button", name="Go on with what is here").click()
    expect(choice).to_have_count(0)
    expect(note(again)).to_have_value("Elsewhere, later.\nHere. And offline.")
    assert in_browser(again) == []


def test_what_was_refused_is_a_draft_at_once(page, site, reader):
    write(page)
    with drafted(page):
        page.get_by_role("button", name="Submit and go on").click()
        expect(page.locator(".errors")).to_be_focused()
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE


def test_nothing_that_was_refused_is_no_draft(page, watches, site, reader):
    stop_the_clock(page)
    page.reload()
    place = item(page)
    page.get_by_role("button", name="Submit and go on").click()
    expect(page.locator(".errors")).to_be_visible()
    page.clock.run_for(3000)
    page.evaluate("() => fetch('/login/').catch(() => {})")
    assert f"/work/{place}/" in watches[0].posts
    assert f"/work/{place}/draft/" not in watches[0].posts
    expect(keeping(page)).to_have_text("")
    assert in_browser(page) == []
    assert site.ask("drafts", study=reader["study"]) == []


def test_R06_a_changed_answer_is_not_sent_behind_the_readers_back(page, site, reader):
    press(page, "1")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(keeping(page)).to_contain_text("Not submitted")
    press(page, "2")
    expect(keeping(page)).to_contain_text("you changed your answer, so submit it again")
    page.context.set_offline(False)
    expect(keeping(page)).to_contain_text("Draft saved")
    assert stored(site, reader) == []


def test_R06_an_answer_changed_while_it_was_on_its_way_is_not_sent_either(page, site, reader):
    press(page, "1")
    expect(keeping(page)).to_contain_text("Draft saved")
    held = []
    page.route(f"**/work/{item(page)}/", lambda route: held.append(route))
    with page.expect_request(lambda sent: sent.method == "POST" and not sent.url.endswith("/draft/")):
        page.keyboard.press("Enter")
    with page.expect_response("**/draft/"):
        press(page, "2")
    held.pop().abort("internetdisconnected")
    expect(keeping(page)).to_contain_text("you changed your answer, so submit it again")
    expect(keeping(page)).to_contain_text("Draft saved")
    assert (held, stored(site, reader)) == ([], [])


def test_R03_a_lost_reply_makes_one_judgment(page, site, reader):
    first = item(page)
    press(page, "2")
    expect(keeping(page)).to_contain_text("Draft saved")
    lost = []

    def lose(route):
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch().status)
            return route.abort("failed")
        return route.continue_()

    page.route(f"**/work/{first}/", lose)
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert lost == [200]
    assert [each["revision"] for each in stored(site, reader)] == [1]


def test_R06_a_submit_after_the_login_ended_goes_on_in_place(page, site, reader):
    first = item(page)
    with drafted(page):
        press(page, "2")
        write(page)
    press(page, "Escape")
    site.ask("expire")
    candidate(page, 2).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Password").fill("not the password")
    page.keyboard.press("Enter")
    expect(page.locator("dialog .refused")).to_be_focused()
    expect(page.locator("dialog .refused")).to_contain_text("correct username and password")
    assert axe.audit(page) == []
    page.get_by_label("Password").fill("")
    page.get_by_label("Password").focus()
    sign_in(page, reader)
    second = gone_on(page, first)
    assert stored(site, reader)[0]["note"] == NOTE
    press(page, "1")
    page.keyboard.press("Enter")
    gone_on(page, second)
    assert len(stored(site, reader)) == 2


def test_S01_a_link_opened_in_another_tab_signs_this_one_in_again(page, site, reader):
    first = item(page)
    press(page, "2")
    expect(keeping(page)).to_contain_text("Draft saved")
    site.ask("expire")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="I am signed in again").click()
    expect(page.locator("dialog .refused")).to_contain_text("Nobody is signed in yet")
    other = page.context.new_page()
    come_by(other, site.ask("signin_link", user=reader["user"]))
    page.get_by_role("button", name="I am signed in again").click()
    gone_on(page, first)
    assert len(stored(site, reader)) == 1


def test_S01_a_token_renewed_elsewhere_does_not_stop_a_submit(page, site, reader):
    first = item(page)
    press(page, "2")
    expect(keeping(page)).to_contain_text("Draft saved")
    site.ask("expire")
    other = page.context.new_page()
    come_by(other, site.ask("signin_link", user=reader["user"]))
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert len(stored(site, reader)) == 1


def test_R06_nothing_remains_after_sign_out(page, site, reader):
    press(page, "2")
    write(page)
    page.context.set_offline(True)
    page.keyboard.type(" More.")
    expect(keeping(page)).to_contain_text("Not saved")
    assert in_browser(page) != []
    page.context.set_offline(False)
    expect(keeping(page)).to_contain_text("Draft saved")
    page.locator("summary", has_text=re.compile("^Ada$")).click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    assert in_browser(page) == []
    assert NOTE not in page.content()


def test_R06_the_next_user_of_the_machine_finds_nothing(page, site, reader):
    address, own = page.url, page.evaluate("() => document.documentElement.dataset.user")
    write(page)
    page.context.set_offline(True)
    page.keyboard.type(" More.")
    expect(keeping(page)).to_contain_text("Not saved")
    site.ask("expire")
    other = site.ask("reader")
    page.close(run_before_unload=False)
    context = page.context
    context.set_offline(False)
    context.add_cookies([{**site.ask("session", user=other["user"]), "url": site.url}])
    again = context.new_page()
    again.goto("/")
    expect(again.locator("h1")).to_be_visible()
    reply = again.goto(address)
    assert reply.status == 404
    # What waits is its writer's: nobody else is shown it, and their pages send none of it.
    assert [each for each in in_browser(again) if not each.startswith(f"variorum.kept.{own}.")] == []
    assert NOTE not in again.content()
    assert stored(site, reader) == []


def test_R06_somebody_else_in_the_dialog_gets_nothing(page, site, reader):
    with drafted(page):
        press(page, "2")
        write(page)
    site.ask("expire")
    other = site.ask("reader")
    own = page.evaluate("() => document.documentElement.dataset.user")
    press(page, "Escape")
    candidate(page, 2).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Username").fill(other["user"])
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/")
    # What is kept waits for whoever wrote it: nobody else is shown it.
    assert [each for each in in_browser(page) if not each.startswith(f"variorum.kept.{own}.")] == []
    assert NOTE not in page.content()
    assert stored(site, reader) == []


def test_an_answer_kept_by_a_page_older_than_the_site_is_not_sent_and_its_words_are_there(page, site, reader):
    """It named its choice by a number that says something else now: whatever is chosen here is not it."""
    with page.expect_response("**/draft/"):
        press(page, "1")
    old = """(note) => {
      const form = document.querySelector("form[data-judging]");
      const { position, ...rest } = Object.fromEntries(new FormData(form));
      const kept = { fields: { ...rest, option: "2", note }, seen: form.dataset.draftSaved,
        submit: { name: "answer", value: "1" }, path: location.pathname, at: Date.now() };
      const item = document.querySelector("[data-item]").dataset.item;
      const { user } = document.documentElement.dataset;
      localStorage.setItem(`variorum.kept.${user}.${item}`, JSON.stringify(kept));
    }"""
    page.evaluate(old, NOTE)
    page.goto("/")
    expect(page.get_by_role("alert")).to_contain_text("a choice of yours from before the site was renewed")
    with drafted(page):
        page.get_by_role("link", name="Open the item, and choose again.").click()
    expect(note(page)).to_have_value(NOTE)
    assert stored(site, reader) == []
    page.wait_for_function("() => Object.keys(localStorage).length === 0")
    page.reload()
    expect(page.get_by_role("alert")).to_be_hidden()

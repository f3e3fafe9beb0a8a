"""Offline is ordinary: what was done waits in order, items taken along are read, nothing counts twice."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.backstage import PASSWORD
from tests.browser.reading import begin, candidate, gone_on, item, press, stored
from tests.browser.test_R06_nothing_lost import MEANT, in_browser, sign_in

TAKE = "Take 5 items along, to read without a network"


@pytest.fixture
def reader(site):
    return site.ask("reader", items=7)


@pytest.fixture
def page(visit, reader, watches):
    page = visit(reader["user"], reduced_motion="reduce", service_workers="allow")
    page.goto(f"/studies/{reader['study']}/begin/")
    yield page
    for watch in watches:
        watch.complaints[:] = [each for each in watch.complaints if not any(why in each for why in MEANT)]


def waiting(page):
    return page.locator("#waiting")


def take_along(page):
    page.wait_for_function("() => navigator.serviceWorker.ready.then((one) => Boolean(one.active))")
    page.get_by_role("button", name=TAKE).click()
    expect(page.locator("form[data-along]")).to_contain_text("5 items can be read without a network until")


def go_offline(page):
    """From here on nothing arrives: what is sent a moment after the switch may still get through."""
    page.context.set_offline(True)
    page.wait_for_function("() => fetch('/login/').then(() => false, () => true)")


def refuse(route):
    """A server that is being restarted, to everything that is sent."""
    if route.request.method == "POST":
        route.fulfill(status=503)
    else:
        route.continue_()


def answering_again(page):
    """Lift the refusal and press the button that sends, unless the page tried again by itself in between.

    It does so within seconds, and what it is told may take the button away.
    """
    button = waiting(page).get_by_role("button", name="Send now")
    expect(button).to_be_visible()
    page.context.unroute("**/work/**", refuse)
    button.evaluate_all("(buttons) => buttons.forEach((one) => one.click())")


def take_back(page):
    """By the sentence in the head, however long it stood there: it goes after ten seconds."""
    page.locator("#undo button").evaluate("(one) => one.click()")


def answer(page, key="2"):
    """Answer and wait for another item."""
    before = item(page)
    press(page, key)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"/work/{before}/" not in url)
    page.wait_for_load_state("load")
    return before


def test_five_acts_without_a_network_are_sent_in_order_and_once(page, site, reader):
    take_along(page)
    assert axe.audit(page) == []
    begin(page)
    go_offline(page)
    done = [answer(page) for _ in range(2)]
    expect(waiting(page)).to_contain_text(
        "No network. 2 answers wait in this browser and will be sent in order."
    )
    assert axe.audit(page) == []

    # Later waits as well; the page opens again; the last can be taken back and done again.
    put_off = item(page)
    page.keyboard.press("l")
    page.wait_for_url(lambda url: f"/work/{put_off}/" not in url)
    expect(waiting(page)).to_contain_text("2 answers and 1 other act wait in this browser")
    page.reload()
    expect(waiting(page)).to_contain_text("2 answers and 1 other act wait")
    done.append(answer(page, "3"))
    waiting(page).get_by_role("button", name="Take the last back").click()
    page.wait_for_url(f"**/work/{done[-1]}/")
    expect(candidate(page, 3)).to_be_checked()
    press(page, "3")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"/work/{done[-1]}/" not in url)
    # The fifth has no item behind it: it waits on its own page.
    press(page, "1")
    page.keyboard.press("Enter")
    expect(page.locator("[data-keeping]")).to_contain_text("4 answers and 1 other act wait in this browser")

    # Whether the site has the first answer by now, nobody can say: at times Chromium sends what it tells the
    # page that it could not send. So do networks. The answer waits all the same, and counts once.
    page.context.set_offline(False)
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.includes('.kept.'))")
    expect(page.locator("#where")).to_contain_text(re.compile("item [36] of 7"))
    assert [each["outcome"] for each in stored(site, reader)] == ["answer"] * 4
    assert in_browser(page) == []


def test_two_windows_a_session_that_ends_a_server_that_stops_and_signing_out(page, site, reader):
    begin(page)
    also = page.locator("[data-also]")
    other = page.context.new_page()
    other.goto(page.url)
    for each in (page, other):
        expect(each.locator("[data-also]")).to_contain_text("also open in another window")
    other.close()
    expect(also).to_have_count(0)

    # The sentence in the head takes an answer back, and putting off.
    first = item(page)
    page.keyboard.press("l")
    gone_on(page, first)
    expect(page.locator("#undo")).to_contain_text("Put off for later.")
    take_back(page)
    expect(page.locator("[data-item]")).to_have_attribute("data-item", first)
    press(page, "2", "Enter")
    gone_on(page, first)
    expect(page.locator("#undo")).to_have_text(re.compile(r"^\s*Item 1 saved \d\d:\d\d\."))
    assert axe.audit(page) == []
    take_back(page)
    expect(page.locator("[data-item]")).to_have_attribute("data-item", first)
    expect(candidate(page, 2)).to_be_checked()
    expect(page.locator(".right")).to_contain_text("You took your answer of")
    assert axe.audit(page) == []

    page.goto(f"/studies/{reader['study']}/begin/")
    take_along(page)
    begin(page)
    page.context.route("**/work/**", refuse)
    answer(page)
    answer(page)
    expect(waiting(page)).to_contain_text("The server does not answer. 2 answers wait in this browser")
    site.ask("expire")
    answering_again(page)
    expect(waiting(page)).to_contain_text("Your sign-in has ended. 2 answers wait in this browser")
    waiting(page).get_by_role("button", name="Sign in again").click()
    sign_in(page, reader)
    expect(waiting(page)).to_contain_text("What waited was sent at")
    said = [(each["revision"], each["outcome"]) for each in stored(site, reader)]
    assert sorted(said) == [(1, "answer"), (1, "answer"), (2, "taken_back"), (3, "answer")]

    page.context.route("**/work/**", refuse)
    answer(page)
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.locator("[data-signout] button").evaluate("(one) => one.click()")
    expect(waiting(page)).to_contain_text("1 answer waits")
    site.ask("close", study=reader["study"])
    answering_again(page)
    expect(waiting(page)).to_contain_text("The study is closed. Your answer was kept for the researchers")
    expect(waiting(page)).not_to_contain_text("What waited was sent")
    waiting(page).get_by_role("button", name="I have seen it").click()
    page.locator("[data-signout] button").evaluate("(one) => one.click()")
    page.wait_for_url(lambda url: "/work/" not in url)
    assert page.evaluate("async () => (await caches.keys()).length") == 0
    assert page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    assert in_browser(page) == []


def test_what_is_never_taken_is_set_aside_and_what_fails_holds_back_nothing_else(page, site, reader):
    """Of four answers the server fails at the first, and its proxy refuses the second and the third."""
    take_along(page)
    begin(page)
    page.context.route("**/work/**", refuse)
    done = [answer(page) for _ in range(4)]
    expect(waiting(page)).to_contain_text("4 answers wait in this browser")
    # Before the refusal is lifted: the page tries again by itself, and would be taken in between.
    for status, place in zip((500, 413, 400), done, strict=False):
        page.context.route(f"**/work/{place}/act/", lambda route, _, said=status: route.fulfill(status=said))
    answering_again(page)
    expect(waiting(page)).to_contain_text("The server fails to take it. 1 answer waits in this browser")
    expect(waiting(page)).to_contain_text(re.compile(r"Not saved, of \d\d:\d\d: it is too large\."))
    expect(waiting(page)).to_contain_text("the server did not take it.")
    assert axe.audit(page) == []
    assert [each["assignment"] for each in stored(site, reader)] == [int(done[3])]

    # The first goes by itself. What is set aside is there again on its item, and sent by another press.
    page.context.unroute_all(behavior="ignoreErrors")
    expect(waiting(page)).to_contain_text("What waited was sent at")
    waiting(page).get_by_role("link", name="Open the item").first.click()
    page.wait_for_url(f"**/work/{done[1]}/")
    expect(candidate(page, 2)).to_be_checked()
    press(page, "2", "Enter")
    gone_on(page, done[1])
    waiting(page).get_by_role("button", name="I have seen it").click()
    expect(waiting(page)).to_be_hidden()
    said = sorted(each["assignment"] for each in stored(site, reader))
    assert said == sorted(int(done[at]) for at in (0, 1, 3))
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.includes('.kept.'))")
    assert [each for each in in_browser(page) if ".kept." in each] == []


def test_who_took_items_along_on_their_first_visit_can_begin_without_a_network(page, reader):
    """The page was here before the service worker was."""
    take_along(page)
    go_offline(page)
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    first = answer(page)
    expect(page.locator("form[data-along]")).to_contain_text("4 items can be read without a network until")
    # What the page fetches when it is first wanted is here, too.
    press(page, "/")
    page.keyboard.type("sea")
    expect(page.locator(".find [data-count]")).to_contain_text("1 place")
    press(page, "Escape")
    for _ in range(3):
        answer(page)
    press(page, "1")
    page.keyboard.press("Enter")
    expect(page.locator("[data-keeping]")).to_contain_text("5 answers wait in this browser")
    page.goto(f"/studies/{reader['study']}/begin/")
    page.get_by_role("button", name="Begin").click()
    expect(waiting(page)).to_contain_text("No network. 5 answers wait in this browser")
    assert f"/work/{first}/" not in page.url
    assert axe.audit(page) == []


def test_of_two_tries_only_what_is_true_of_the_second_is_said(page, site, reader):
    begin(page)
    first = item(page)
    page.context.route("**/work/**", lambda route: route.fulfill(status=500))
    press(page, "2")
    page.keyboard.press("Enter")
    expect(page.locator("#alert")).to_contain_text("Not saved: the server could not take it.")
    page.context.unroute_all(behavior="ignoreErrors")
    page.context.route("**/work/**", lambda route: route.abort())
    page.keyboard.press("Enter")
    expect(page.locator("[data-keeping]")).to_contain_text("is sent when the server answers again")
    expect(page.locator("#alert")).to_be_hidden()
    page.context.unroute_all(behavior="ignoreErrors")
    gone_on(page, first)
    assert [each["revision"] for each in stored(site, reader)] == [1]


def enter(page, user):
    """Sign in by password, as whoever finds the browser without anybody signed in."""
    page.context.clear_cookies()
    page.goto("/login/")
    page.get_by_label("Username").fill(user)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("load")


def test_who_signs_in_next_sees_and_sends_nothing_of_whoever_did_not_sign_out(page, site, reader):
    study, begins = reader["study"], f"/studies/{reader['study']}/begin/"
    other = site.ask("joined", study=study)
    take_along(page)
    own = page.evaluate("() => document.documentElement.dataset.user")
    begin(page)
    page.context.route("**/work/**", refuse)
    place = answer(page)

    # Nobody knows yet who comes: a page that is slow to come is not taken from what was kept.
    page.context.clear_cookies()
    page.goto("/login/")
    # From here on: until it was left, the page before tried to send, and was refused.
    sent = []
    page.on("request", lambda each: sent.append(each.url) if each.url.endswith("/act/") else None)
    page.wait_for_function("async () => (await caches.keys()).includes('variorum.~')")
    with page.expect_navigation(url="**/login/**"):
        page.evaluate("(to) => location.assign(to)", f"/work/{place}/")
    page.context.unroute_all(behavior="ignoreErrors")
    enter(page, other)
    page.wait_for_function(
        "async (own) => !(await caches.keys()).some((name) => name.endsWith(own) || name.endsWith('~'))",
        arg=f".{own}",
    )
    page.goto(begins)
    page.get_by_role("button", name=re.compile("^(Begin|Continue)")).click()
    page.wait_for_url("**/work/*/")
    expect(waiting(page)).to_be_hidden()
    assert f"/work/{place}/" not in page.url
    assert (sent, stored(site, reader)) == ([], [])
    assert page.evaluate("() => localStorage.getItem('variorum.along')") is None
    page.locator("[data-signout] button").evaluate("(one) => one.click()")
    page.wait_for_url(lambda url: "/work/" not in url)

    # It waited for whoever gave it.
    enter(page, reader["user"])
    page.goto(begins)
    expect(waiting(page)).to_contain_text("What waited was sent at")
    assert [each["assignment"] for each in stored(site, reader)] == [int(place)]
    assert [each for each in in_browser(page) if ".kept." in each] == []


def test_reloading_at_any_moment_after_submitting_loses_and_doubles_nothing(page, site, reader):
    begin(page)
    for pause in (0, 60, 200, 700):
        press(page, "2")
        page.keyboard.press("Enter")
        page.wait_for_timeout(pause)
        page.reload()
        if page.get_by_role("button", name="Save the change").count():
            page.get_by_role("link", name="Return to your open item").click()
        page.wait_for_load_state("load")
    said = stored(site, reader)
    assert {each["revision"] for each in said} == {1}
    assert len(said) == len({each["assignment"] for each in said}) >= 3

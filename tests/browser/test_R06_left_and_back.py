"""R06: whoever leaves a page while their words are on the way to the server finds them when they are back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import begin, candidate, gone_on, item, press, stored
from tests.browser.test_R06_nothing_lost import NOTE, drafted, in_browser, keeping, note, write

# From when a test says so until the next page is loaded, no draft reaches the server; the last one is kept.
HELD_BACK = """
if (location.protocol !== "about:") sessionStorage.removeItem("held back");
const real = window.fetch;
window.fetch = (where, how) => {
  if (!String(where).endsWith("/draft/") || !sessionStorage.getItem("held back")) return real(where, how);
  localStorage.setItem("late", String(how.body));
  return new Promise(() => {});
};
"""
HIDE = """
() => {
  Object.defineProperty(document, "visibilityState", {value: "hidden"});
  document.dispatchEvent(new Event("visibilitychange"));
}
"""
SAYS_SAVED = """
() => {
  const line = document.querySelector("[data-keeping]");
  const seen = () => line.textContent.startsWith("Draft saved") && console.log("saved");
  new MutationObserver(seen).observe(line, {childList: true});
}
"""


@pytest.fixture
def page(visit, reader):
    page = visit(reader["user"], reduced_motion="reduce")
    page.context.add_init_script(HELD_BACK)
    page.goto("/")
    begin(page)
    return page


def hold_back(page):
    page.evaluate("() => sessionStorage.setItem('held back', '1')")


def reload(page):
    page.reload()
    return page


def link_and_back(page):
    page.get_by_role("link", name="Variorum").click()
    page.wait_for_url("**/")
    page.go_back()
    return page


def close_and_open(page):
    """As a telephone does it: hidden, and never seen again."""
    address, context = page.url, page.context
    page.evaluate(HIDE)
    page.close()
    again = context.new_page()
    again.goto(address)
    return again


def late_draft(page):
    """What was on its way when the page was left arrives after all."""
    body = page.evaluate(
        "() => { const late = localStorage.getItem('late'); localStorage.removeItem('late'); return late; }"
    )
    token = page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value")
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": token, "Referer": page.url}
    return page.request.post(f"{page.url}draft/", data=body, headers=headers).status


@pytest.mark.parametrize("way", [reload, link_and_back, close_and_open])
def test_words_that_had_not_arrived_are_there_again_and_grow_whole(page, site, reader, way):
    first = item(page)
    press(page, "2")
    with drafted(page, "The lamps "):
        write(page, "The lamps ")
    hold_back(page)
    page.keyboard.type("decide")
    page = way(page)
    expect(note(page)).to_have_value("The lamps decide")
    expect(candidate(page, 2)).to_be_checked()
    expect(keeping(page)).to_contain_text("Draft saved")
    with drafted(page):
        note(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" it.")
    assert late_draft(page) in {200, 409}
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE
    assert in_browser(page) == []
    page.get_by_role("button", name="Submit and go on").click()
    gone_on(page, first)
    assert stored(site, reader)[0]["note"] == NOTE
    assert in_browser(page) == []


def test_a_page_made_before_the_last_draft_arrived_has_it_all_the_same(page, site, reader):
    drafts, pages = [], []
    page.route("**/draft/", lambda route: drafts.append(route))
    with page.expect_request("**/draft/"):
        write(page)
    page.evaluate(SAYS_SAVED)

    def made_before(route):
        pages.append((route, route.fetch()))
        drafts[-1].continue_()

    page.route("**/work/*/", made_before)
    # The page is made; then the draft arrives, and its reply; then the page.
    with page.expect_console_message(lambda said: said.text == "saved"):
        page.evaluate("() => { setTimeout(() => location.reload()) }")
    ((route, reply),) = pages
    page.unroute("**/draft/")
    assert NOTE not in reply.text()
    route.fulfill(response=reply)
    expect(keeping(page)).to_contain_text("Draft saved")
    expect(note(page)).to_have_value(NOTE)
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE


def test_a_first_choice_is_there_after_a_reload_at_once_five_times_of_five(page, site, reader):
    for key in (1, 2, 3, 1, 2):
        hold_back(page)
        press(page, str(key))
        page.reload()
        expect(candidate(page, key)).to_be_checked()
        expect(keeping(page)).to_contain_text("Draft saved")
        expect(page.locator("[data-both]")).to_have_count(0)
    assert site.ask("drafts", study=reader["study"])[0]["position"] == candidate(page, 2).input_value()


def test_until_the_server_has_them_the_page_says_so(page, site, reader):
    hold_back(page)
    write(page)
    held = []
    page.route("**/draft/", lambda route: held.append(route))
    with page.expect_request("**/draft/"):
        page.reload()
    expect(note(page)).to_have_value(NOTE)
    expect(keeping(page)).to_contain_text("is here again. It is not yet saved.")
    assert site.ask("drafts", study=reader["study"]) == []
    assert axe.audit(page, forced=True) == []
    held.pop(0).continue_()
    expect(keeping(page)).to_contain_text("Draft saved")
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE


def test_a_page_that_comes_back_from_the_browsers_cache_sends_what_it_kept(page, site, reader):
    hold_back(page)
    write(page)
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    assert any(NOTE in each for each in in_browser(page) if each.startswith("variorum"))
    page.evaluate(
        """() => {
          sessionStorage.removeItem("held back");
          dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
        }"""
    )
    expect(keeping(page)).to_contain_text("Draft saved")
    assert site.ask("drafts", study=reader["study"])[0]["note"] == NOTE


def test_what_was_said_since_is_not_brought_back(page, site, reader):
    """An older state that this browser kept gives way to a later one of the same window."""
    write(page, "The la")
    old = page.evaluate(
        """() => {
          dispatchEvent(new PageTransitionEvent("pagehide", {persisted: true}));
          return Object.entries(localStorage).filter(([name]) => name.startsWith("variorum.kept"));
        }"""
    )
    assert len(old) == 1
    with drafted(page):
        page.keyboard.type("mps decide it.")
    page.evaluate("(old) => { for (const [name, value] of old) localStorage.setItem(name, value); }", old)
    page.reload()
    expect(keeping(page)).to_contain_text("is here again. It is not submitted.")
    expect(note(page)).to_have_value(NOTE)
    assert [each for each in in_browser(page) if each.startswith("variorum.kept")] == []


def test_R07_two_windows_do_not_write_over_each_other(page, site, reader, visit):
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "1")
    with drafted(page, "At the desk."):
        write(page, "At the desk.")
    press(other, "2")
    both = other.locator("[data-both]")
    expect(both).to_contain_text("In another window you chose, and did not submit")
    expect(both).to_contain_text("Note: At the desk.")
    expect(keeping(other)).to_contain_text("Not saved: another window of yours holds something else.")
    expect(candidate(other, 2)).to_be_focused()
    assert axe.audit(other, forced=True) == []
    write(other, "On the train.")
    keeping(other).get_by_role("button", name="Show both").click()
    expect(both).to_be_focused()
    expect(both).to_be_in_viewport()
    # It is asked again, however often the page is left.
    other.reload()
    expect(both).to_contain_text("Note: On the train.")
    (draft,) = site.ask("drafts", study=reader["study"])
    assert draft["note"] == "At the desk."
    both.get_by_role("button", name="Keep what the other window has").click()
    expect(both).to_have_count(0)
    expect(candidate(other, 1)).to_be_checked()
    expect(note(other)).to_have_value("At the desk.\nOn the train.")
    page.locator("main h1").focus()
    press(page, "3")
    expect(page.locator("[data-both]")).to_contain_text("On the train.")
    page.locator("[data-both]").get_by_role("button", name="Go on with what is here").click()
    expect(page.locator("[data-both]")).to_have_count(0)
    expect(candidate(page, 3)).to_be_checked()
    expect(note(page)).to_have_value("At the desk.\nOn the train.")

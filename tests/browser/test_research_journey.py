"""The whole way of a researcher by keyboard alone: builds, sets up, invites, opens, watches, closes."""

from __future__ import annotations

from uuid import uuid4

from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import gone_on, item, make_account, press, press_on, stored, tab_to, write

POLL = "() => htmx.ajax('GET', location.pathname, {source: '#live', target: '#live'})"
STEPS = "Set the study up"


def page_of(page, group, section="", key="Tab"):
    """Go to a group of the study's pages, which leads to its first, and on to another page of it."""
    lists = page.get_by_role("navigation", name="This study").get_by_role("list")
    tab_to(page, lists.first.get_by_role("link", name=group, exact=True), key=key)
    page.keyboard.press("Enter")
    expect(lists.first.locator("[aria-current]")).to_have_text(group)
    if section:
        tab_to(page, lists.last.get_by_role("link", name=section, exact=True))
        page.keyboard.press("Enter")
        expect(lists.last.locator("[aria-current=page]")).to_have_text(section)


def step(page, name):
    """From the list of steps to one of them."""
    press_on(page, page.locator(".steps").get_by_role("link", name=name, exact=True))
    page.wait_for_url(lambda url: not url.endswith("/setup/"))


def saved(page, button, words):
    press_on(page, page.get_by_role("button", name=button))
    expect(page.locator(".messages")).to_contain_text(words)
    assert axe.audit(page, forced=True) == []


def built(page, title):
    """A draft from the demonstration's finished job; its short name."""
    page.goto("/")
    press_on(page, page.get_by_role("link", name="New study"))
    expect(page.locator("h1")).to_have_text("New study")
    write(page, "Title", title)
    tab_to(page, page.get_by_label("Candidate job"))
    press(page, "ArrowDown")
    assert axe.audit(page, forced=True) == []
    saved(page, "Make the draft", "item")
    expect(page.locator("h1")).to_have_text(STEPS)
    expect(page.locator(".steps li").nth(1).locator(".badge")).to_have_count(0)
    return page.url.split("/manage/")[1].split("/")[0]


def set_up(page):
    """Guidelines, consent, one reading of each item, and the question how sure the reader is."""
    step(page, "Guidelines")
    write(page, "Text", "# How to read\n\nChoose the passage that *fits*.")
    saved(page, "Save as version", "1")
    page_of(page, "Set up")
    step(page, "Consent")
    write(page, "What readers agree to", "Your answers are kept under a letter.")
    press(page, "Tab", "ArrowDown")
    expect(page.get_by_label("their judgments are dropped")).to_be_checked()
    saved(page, "Save as version", "Version 1 is saved")
    press_on(page, page.get_by_role("link", name="Back to all steps"))
    step(page, "How it is read")
    write(page, "Readings of each item", "1")
    saved(page, "Save", "How it is read: saved.")
    step(page, "Questions and pay")
    tab_to(page, page.get_by_label("Ask how sure"))
    press(page, "Space")
    saved(page, "Save", "Questions and pay: saved.")
    expect(page.locator(".notice")).to_contain_text("no invitation link is valid")


def invited(page):
    """Make a link for one reader; its path."""
    step(page, "Readers")
    expect(page.locator("h1")).to_have_text("Invitations")
    saved(page, "Make a link", "link")
    link = page.get_by_label("Link to send")
    tab_to(page, link)
    return link.input_value()


def joined(page, link, name):
    page.goto(link)
    make_account(page, name, "Ada")
    page.wait_for_url("**/begin/**")
    expect(page.locator(".lead")).to_contain_text("not open yet")
    assert axe.audit(page, forced=True) == []


def opened(page):
    page_of(page, "Set up", key="Shift+Tab")
    expect(page.locator(".notice")).to_have_text("Everything that is needed is here.")
    assert axe.audit(page, forced=True) == []
    press_on(page, page.get_by_role("link", name="Open the study"))
    expect(page.locator("h1")).to_have_text("Open this study?")
    saved(page, "Open the study", "open")


def read_once(page, slug):
    """The reader agrees, reads one item and says how sure they are."""
    page.reload()
    press_on(page, page.get_by_role("button", name="Begin"))
    expect(page.locator("main")).to_contain_text("Your answers are kept under a letter.")
    press_on(page, page.get_by_role("button", name="I agree"))
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()
    first = item(page)
    press(page, "1", "r")
    page.keyboard.press("Enter")
    gone_on(page, first)


def closed(page):
    page_of(page, "Overview", key="Shift+Tab")
    press_on(page, page.get_by_role("link", name="Close the study"))
    expect(page.locator("h1")).to_have_text("Close this study?")
    expect(page.locator(".lead")).to_contain_text("1 of ")
    assert axe.audit(page, forced=True) == []
    saved(page, "Close the study", "closed")


def test_from_a_candidate_job_to_a_closed_study(visit, site):
    title = f"Tide {uuid4().hex[:8]}"
    page, reader = visit("dora", reduced_motion="reduce"), visit(reduced_motion="reduce")
    slug = built(page, title)
    set_up(page)
    joined(reader, invited(page), f"ada-{slug}")
    opened(page)

    page_of(page, "Live", "Watch")
    filled = page.locator("#live .bar-line span")
    expect(filled).to_contain_text("0 of ")
    assert axe.audit(page, forced=True) == []
    tab_to(page, page.get_by_role("navigation", name="This study").get_by_role("link", name="Watch"))
    read_once(reader, slug)
    page.evaluate(POLL)
    expect(filled).to_contain_text("1 of ")
    press(page, "Tab")
    assert axe.audit(page, forced=True) == []
    (judgment,) = stored(site, {"study": slug})
    assert (judgment["outcome"], judgment["confidence"]) == ("answer", 4)

    closed(page)
    reader.keyboard.press("1")
    reader.keyboard.press("Enter")
    expect(reader.locator("main")).to_contain_text("closed")
    assert axe.audit(reader, forced=True) == []
    assert len(stored(site, {"study": slug})) == 1

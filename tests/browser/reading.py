"""What the journeys of a reader share: where the focus is, which item is shown, what is stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TookTooLong

from tests.browser.backstage import PASSWORD

ACTIVE = """
() => {
  const one = document.activeElement;
  return {tag: one.tagName, id: one.id, name: one.name ?? "", text: one.textContent.trim()};
}
"""


# The focused element is one of these.
FOCUSED = "(selector) => document.activeElement.matches(selector)"


def focused(page: Page, selector: str) -> None:
    """Wait until an element of this selector has the focus: a link moves it in its own time."""
    page.wait_for_function(FOCUSED, arg=selector)


def stop_the_clock(page: Page) -> None:
    """From its next load on, the page's time is what a test makes of it, however busy the machine."""
    page.clock.install(time=0)
    page.clock.pause_at(1000)


def focus(page: Page) -> dict[str, str]:
    """The focused element. A page whose focus is lost is a page that keyboard users have lost.

    On a busy machine a key may reach the page a moment before what it moves to is there.
    """
    with suppress(TookTooLong):
        page.wait_for_function("() => document.activeElement.tagName !== 'BODY'", timeout=2000)
    active = page.evaluate(ACTIVE)
    assert active["tag"] != "BODY", "The focus is nowhere."
    return active


def press(page: Page, *keys: str) -> dict[str, str]:
    """Press keys, one by one; after each the focus is somewhere. Returns where it is at last."""
    # A heading takes the focus before the scripts that listen to keys have run.
    page.wait_for_load_state("load")
    for key in keys:
        page.keyboard.press(key)
        active = focus(page)
    return active


def follow(page: Page, path: str) -> None:
    """Open a link whose code stands behind the `#`, and wait for the page to which its code leads."""
    page.goto(path)
    page.wait_for_selector(":root:not([data-link])", state="attached")
    page.wait_for_load_state("load")


def begin(page: Page) -> None:
    """Open the first item with the mouse, from a page that offers to begin."""
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()


def begin_by_keys(page: Page) -> None:
    """The same by keyboard, from whoever's own page."""
    page.goto("/")
    tab_to(page, page.get_by_role("button", name="Begin"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()


def begun_by(visit: Callable[..., Page], reader: dict[str, Any]) -> Page:
    """A page at a reader's first item, where nothing moves."""
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto("/")
    begin(page)
    return page


def make_account(page: Page, name: str, called: str) -> None:
    """Fill in the form of an invitation by keyboard, and send it."""
    said = {"User name": name, "What shall we call you": called}
    said |= {"Password": PASSWORD, "The same password again": PASSWORD}
    for label, text in said.items():
        tab_to(page, page.get_by_label(label, exact=label == "Password"))
        page.keyboard.type(text)
    page.keyboard.press("Enter")


def come_by(page: Page, path: str) -> None:
    """Open a sign-in link and press its button."""
    follow(page, path)
    page.get_by_role("button", name=re.compile("^Sign in as")).click()
    page.wait_for_url("/")


def tab_to(page: Page, target: Locator, *, key: str = "Tab", most: int = 40) -> None:
    """Reach an element as a keyboard user does (`key="Shift+Tab"`: backwards), or fail."""
    for _ in range(most):
        if target.evaluate("one => one === document.activeElement"):
            return
        press(page, key)
    raise AssertionError(f"{target} cannot be reached with {most} times {key}.")


def press_on(page: Page, target: Locator, key: str = "Enter", *, most: int = 60) -> None:
    """Reach a link or button with Tab, and press it."""
    tab_to(page, target, most=most)
    page.keyboard.press(key)


def write(page: Page, label: str, text: str) -> None:
    """Reach the control of this label with Tab, and put the text in place of what stands in it."""
    tab_to(page, page.locator("main").get_by_label(label), most=60)
    press(page, "Control+a")
    page.keyboard.type(text)
    focus(page)


def item(page: Page) -> str:
    """The place that is shown: its ids carry this number."""
    return page.locator("[data-item]").get_attribute("data-item") or ""


def gone_on(page: Page, from_item: str) -> str:
    """Wait for another item; its heading has the focus. Returns its number."""
    expect(page.locator("[data-item]")).not_to_have_attribute("data-item", from_item)
    expect(page.locator("main h1")).to_be_focused()
    assert focus(page)["tag"] == "H1"
    return item(page)


def candidate(page: Page, key: int) -> Locator:
    return page.locator(f"#c{key}-{item(page)}")


def text_of(page: Page, key: int) -> str:
    return page.locator(f"label[for=c{key}-{item(page)}] .candidate-text").inner_text()


def saved(page: Page) -> Locator:
    return page.locator(".saved")


def chosen(page: Page) -> int:
    return page.locator(".candidate input:checked").count()


def stored(site: Any, reader: dict[str, str]) -> list[dict[str, Any]]:
    return site.ask("judgments", study=reader["study"])

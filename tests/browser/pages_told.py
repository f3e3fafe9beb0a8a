"""What stood on the pages of a test that failed: whoever reads of it afterwards cannot look any more."""

from __future__ import annotations

import json
from collections.abc import Iterable

from playwright.sync_api import Error, Page

STATE = """
() => {
  const text = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent.trim());
  const head = (one) => one?.outerHTML.slice(0, 160);
  return {
    ready: document.readyState, seen: document.visibilityState, online: navigator.onLine,
    focus: document.hasFocus(), active: head(document.activeElement),
    "on its way": [...document.querySelectorAll(".htmx-request")].map(head),
    checked: [...document.querySelectorAll("form[data-judging] :checked")].map(head),
    dialogs: [...document.querySelectorAll("dialog[open]")].map(head),
    said: Object.fromEntries(
      ["[data-keeping]", "[data-wanting]:not([hidden])", "#status", "#waiting", "#alert", ".errors"]
        .map((selector) => [selector, text(selector)])),
    requests: performance.getEntriesByType("resource").slice(-6).map((one) =>
      `${one.initiatorType} ${one.name} ${Math.round(one.startTime)} ${one.responseStatus}`),
    now: Math.round(performance.now()),
  };
}
"""


def told(pages: Iterable[Page]) -> str:
    """Return the state of each page, as far as its browser still says it."""
    return "\n".join(f"{page.url}\n{_state(page)}" for page in pages)


def _state(page: Page) -> str:
    try:
        return json.dumps(page.evaluate(STATE), indent=1, ensure_ascii=False)
    except Error as error:
        return str(error)

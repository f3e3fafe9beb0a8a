"""What the journeys of readers share who mark words: the page at a passage, its words, and what is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from tests.browser.reading import begin, stored


def begun(
    site: Any, visit: Callable[..., Page], *passages: str, task: str = "span", verses: int = 1, **options: Any
) -> tuple[Page, Any]:
    """A page at the first of these passages, and whose it is."""
    reader = site.ask("span_reader", passages=list(passages), verses=verses, task=task)
    page = visit(reader["user"], **options)
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    return page, reader


def spoken(page: Page) -> Locator:
    return page.locator("[data-spoken]")


def word(page: Page, text: str) -> Locator:
    return page.locator("[data-token]", has_text=re.compile(f"^{text}$"))


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name)


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit and go on").click()


def answers(site: Any, reader: Any) -> list[Any]:
    return [each["answer"] for each in stored(site, reader)]

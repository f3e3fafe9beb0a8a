"""Debian's chromium, and what it complains about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.browser.site import Site

# Nothing that the browser itself would ask of the network.
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--no-first-run",
]
# Long, because waiting costs nothing where all goes well: a busy machine is no fault of the page.
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)


@contextmanager
def launched() -> Iterator[Browser]:
    found = shutil.which("chromium")
    assert found, "There is no chromium: tests/browser/install.sh installs it."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Watch:
    """Everything in one browser context that should not have happened."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self.host = urlsplit(site.url).netloc
        self.complaints: list[str] = []
        self.posts: list[str] = []
        context.on("request", self.requested)
        context.on("console", self.said)
        context.on("weberror", lambda error: self.complaints.append(f"script: {error.error}"))
        context.on(
            "response",
            lambda reply: (
                reply.status >= 400
                and "/static/" in reply.url
                and self.complaints.append(f"{reply.status}: {reply.url}")
            ),
        )

    def requested(self, request: Request) -> None:
        if request.method == "POST":
            self.posts.append(urlsplit(request.url).path)
        if urlsplit(request.url).netloc != self.host:
            self.complaints.append(f"left the host: {request.url}")

    def said(self, message: ConsoleMessage) -> None:
        # A 404 or 422 that is meant is no complaint; broken policies and scripts are.
        meant = ("the server responded with a status of", "Service Worker registration blocked")
        if message.type in {"error", "warning"} and not any(each in message.text for each in meant):
            self.complaints.append(f"console: {message.text}")


def opened(browser: Browser, site: Site, user: str | None = None, **options: Any) -> tuple[Page, Watch]:
    """A page in a browser of its own, signed in as `user`, at 1280 px unless told otherwise."""
    options.setdefault("viewport", {"width": 1280, "height": 900})
    # What a service worker fetches, no test can hold back: those of pages without a network allow it.
    options.setdefault("service_workers", "block")
    context = browser.new_context(base_url=site.url, **options)
    context.set_default_timeout(WAIT_MS)
    watch = Watch(context, site)
    if user:
        context.add_cookies([{**site.ask("session", user=user), "url": site.url}])
    return context.new_page(), watch

"""A real site in a process of its own, a real browser, and a watch over both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import chromium, pages_told
from tests.browser.site import Site, started

HERE = "tests/browser/"
FIGURE = "figure"
OPENED = pytest.StashKey[list[Page]]()
"""Of a test: the first page of each browser it opened."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.as_posix() and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """Keep what stood on the pages of a test that failed, while they are there."""
    report = yield
    if report.when == "call" and report.failed and (pages := item.stash.get(OPENED, [])):
        report.sections.append(("Pages", pages_told.told(pages)))
    return report


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with started(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="package")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The first day: people, and nothing else."""
    with started(tmp_path_factory.mktemp("empty"), demonstration=False) as site:
        yield site


@pytest.fixture(scope="package")
def world(site: Site) -> dict[str, Any]:
    """One of everything, by the names that `test_audit.PAGES` uses."""
    return site.ask("scenery")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Of this folder only: its event loop forbids the ORM to the tests of other folders."""
    with chromium.launched() as browser:
        yield browser


@pytest.fixture
def watches() -> Iterator[list[chromium.Watch]]:
    """Of every browser opened in a test; none may have seen anything amiss."""
    seen: list[chromium.Watch] = []
    yield seen
    assert [complaint for watch in seen for complaint in watch.complaints] == []


@pytest.fixture
def visit(
    site: Site, browser: Browser, watches: list[chromium.Watch], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """`visit("ada")` is a new browser in which Ada is signed in."""
    opened = request.node.stash[OPENED] = list[Page]()

    def open_one(user: str | None = None, at: Site = site, **options: Any) -> Page:
        page, watch = chromium.opened(browser, at, user, **options)
        watches.append(watch)
        opened.append(page)
        return page

    yield open_one
    for page in opened:
        for one in page.context.pages:
            one.unroute_all(behavior="ignoreErrors")
        page.context.close()


@pytest.fixture
def reader(site: Site) -> dict[str, Any]:
    """Somebody new in a new study of four items."""
    return site.ask("reader", items=4)


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a measured figure for the end of the report, whichever process measured it."""
    return lambda line: request.node.user_properties.append((FIGURE, line))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for report in terminalreporter.stats.get("passed", []):
        for name, line in report.user_properties:
            if name == FIGURE and report.when == "call":
                terminalreporter.write_line(line)

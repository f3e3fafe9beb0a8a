"""The pictures of the README and the documentation, taken of the demonstration: `make screenshots`.

`python -m tests.browser.screenshots NAME …` takes some of them again."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Page, expect

from tests.browser import chromium
from tests.browser.reading import press
from tests.browser.scenery_adjudicating import JO
from tests.browser.site import ROOT, Site, started

FOLDER = ROOT / "docs" / "screenshots"
MOST_BYTES = 150_000


class Shot(NamedTuple):
    """One picture: who sees what, and what they do before it is taken."""

    name: str
    who: str
    path: str
    act: Callable[[Page], None] = lambda page: None
    width: int = 1280
    height: int = 860
    scheme: str = "light"


def begin(page: Page) -> None:
    """To the item before the reader, with its second passage read in the gap."""
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("main h1")).to_be_focused()
    press(page, "2")


def first_of(kind: str, heading: str = "") -> Callable[[Page], None]:
    """To the first page that a table of such pages links to, and down to a heading there."""

    def follow(page: Page) -> None:
        page.locator(f"main table a[href^='/{kind}/']").first.click()
        page.wait_for_url(re.compile(rf"/{kind}/\d+/$"))
        if heading:
            page.get_by_role("heading", name=heading).evaluate("one => one.scrollIntoView()")

    return follow


def mark(page: Page) -> None:
    """To the first item of the sermon, with the sentence of its anchor marked up to a comma."""
    page.get_by_role("button", name=re.compile("^(Begin|Continue)")).click()
    expect(page.locator("main h1")).to_be_focused()
    press(page, "s", "Shift+Alt+ArrowLeft")


def settle(page: Page) -> None:
    """To the first item that waits, with its first reading picked."""
    page.get_by_role("link", name="Decide on item").click()
    page.locator("[name=choice]").first.check()


SHOTS = [
    Shot("item", "ada", "/studies/tide/begin/", begin, height=720),
    Shot("item-dark", "ada", "/studies/tide/begin/", begin, height=720, scheme="dark"),
    Shot("item-narrow", "ada", "/studies/tide/begin/", begin, width=320, height=1000),
    Shot("home", "ada", "/", height=450),
    Shot("study", "dora", "/manage/tide/"),
    Shot("watch", "dora", "/watch/tide/", height=1000),
    Shot("settling", JO, "/adjudicate/tide-simulated/", settle, width=1100, height=540),
    Shot("settling-span", JO, "/adjudicate/sermon-simulated/", settle, width=1100, height=540),
    Shot("workbench", "dora", "/manage/tide-flawed/workbench/2/", height=1000),
    Shot("span", "ada", "/studies/sermon/begin/", mark, height=720),
    Shot("span-dark", "ada", "/studies/sermon/begin/", mark, height=720, scheme="dark"),
    Shot("apparatus", "dora", "/results/sermon-simulated/apparatus/"),
    Shot("microscope", "dora", "/results/sermon-simulated/microscope/"),
    Shot("results", "dora", "/results/tide-simulated/"),
    Shot("build", "dora", "/manage/new/"),
    Shot("excerpt", "dora", "/excerpts/", first_of("excerpts"), height=720),
    Shot("job", "stan", "/jobs/", first_of("jobs", "The first candidates"), height=690),
    Shot("training", "stan", "/training/", first_of("training"), height=1000),
    Shot("book", "stan", "/books/stand-of-the-tide/?at=40&size=2#s40", height=620),
]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, started(Path(folder)) as site, chromium.launched() as browser:
        site.ask("some_reading", study="tide", done={"ada": 12, "ben": 21, "cleo": 7}, seed=1889)
        site.ask("trained")
        site.ask("bench")
        for shot in (each for each in SHOTS if not sys.argv[1:] or each.name in sys.argv[1:]):
            site.ask("worker")
            take(browser, site, shot)


def take(browser: Any, site: Site, shot: Shot) -> None:
    page, _ = chromium.opened(
        browser,
        site,
        shot.who,
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.scheme,
        reduced_motion="reduce",
    )
    page.goto(shot.path)
    shot.act(page)
    picture = page.screenshot(scale="css", animations="disabled")
    (FOLDER / f"{shot.name}.png").write_bytes(picture)
    sys.stdout.write(f"{shot.name}.png  {len(picture) / 1000:.0f} KB\n")
    assert len(picture) <= MOST_BYTES, f"{shot.name}.png is too heavy for a page that shows ten of them."
    page.context.close()


if __name__ == "__main__":
    main()

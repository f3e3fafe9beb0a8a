"""What the journeys of readers share who mark words: the page at a passage, its words, and what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise
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


def handle(page: Page, name: str) -> Locator:
    """The handle at the start or the end of what is marked."""
    return page.locator(f"[data-handle={name}]")


Place = Locator | tuple[float, float]
# Ten frames in the same place: on a busy machine a page that rolls stands still for longer than any set time.
AT_REST = """() => {
  const was = scrollY;
  const look = (left, told) => requestAnimationFrame(() => {
    if (left && scrollY === was) look(left - 1, told);
    else told(scrollY === was);
  });
  return new Promise((told) => look(10, told));
}"""


def shown(place: Place) -> None:
    """Bring a place to the middle of the window."""
    if not isinstance(place, tuple):
        place.evaluate("(one) => one.scrollIntoView({block: 'center', behavior: 'instant'})")


def middle(place: Place) -> tuple[float, float]:
    if isinstance(place, tuple):
        return place
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def draw(page: Page, start: Place, end: Place, *, release: bool = True) -> None:
    """Draw with the mouse from one place to another, in some steps."""
    shown(start)
    page.mouse.move(*middle(start))
    page.mouse.down()
    page.mouse.move(*middle(end), steps=4)
    if release:
        page.mouse.up()


def touch(page: Page, *places: Place, hold: bool = False, below: bool = False, release: bool = True) -> Any:
    """Draw with a finger through these places.

    ``hold``: it rests at the first until the page says that it marks. ``below``: it ends a line below the
    last, as a finger does that holds a handle. ``release=False``: it is lifted at the end of the `with`.
    """
    cdp = page.context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        told = [{"x": x, "y": y} for x, y in points]
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    shown(places[0])
    # A finger that comes down on a page which still rolls stops it, and does nothing else.
    page.wait_for_function(AT_REST)
    points = [middle(place) for place in places]
    send("touchStart", points[0])
    if hold:
        page.wait_for_selector(":root[data-drawing]")
    for (x, y), (to_x, to_y) in pairwise(points):
        to_y += 30 if below else 0
        for step in range(1, 5):
            send("touchMove", (x + (to_x - x) * step / 4, y + (to_y - y) * step / 4))

    @contextmanager
    def lifted() -> Iterator[None]:
        yield
        send("touchEnd")

    if release:
        send("touchEnd")
    return nullcontext() if release else lifted()

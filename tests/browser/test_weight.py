"""How heavy the reading page is, with an empty cache, counted on the wire."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from tests.browser.chromium import WAIT_MS
from tests.browser.reading import begin, item, press

MOST_REQUESTS, MOST_BYTES = 9, 60_000
ENTER_TO_NEXT = """
() => new Promise((done) => {
  const began = performance.now();
  const swapped = ({target}) => {
    if (target.id !== "main") return;
    document.removeEventListener("htmx:afterSwap", swapped);
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
  };
  document.addEventListener("htmx:afterSwap", swapped);
  const enter = new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true});
  document.activeElement.dispatchEvent(enter);
})
"""


def weighed(page, path) -> list[tuple[str, int]]:
    """Every request of a page and its bytes on the wire, headers of the reply included.

    The next item, which the page asks for later, is left out.
    """
    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    cdp.send("Network.setCacheDisabled", {"cacheDisabled": True})
    urls: dict[str, str] = {}
    sizes: dict[str, float] = {}
    cdp.on(
        "Network.requestWillBeSent", lambda said: urls.__setitem__(said["requestId"], said["request"]["url"])
    )
    cdp.on(
        "Network.loadingFinished",
        lambda said: sizes.__setitem__(said["requestId"], said["encodedDataLength"]),
    )
    page.goto(path, wait_until="networkidle")
    asked = {each: url for each, url in urls.items() if not url.endswith("/prefetch/")}
    for _ in range(WAIT_MS // 100):
        if asked.keys() <= sizes.keys():
            break
        page.wait_for_timeout(100)
    return [(url, int(sizes.get(each, 0))) for each, url in asked.items()]


def test_the_reading_page_is_light(visit, site, tell):
    page = visit("ada")
    page.goto("/studies/tide/begin/")
    page.get_by_role("button", name=re.compile("^(Begin|Continue)")).click()
    page.wait_for_url("**/work/*/")
    loaded = weighed(visit("ada"), page.url)
    total = sum(size for _, size in loaded)
    tell(f"The reading page: {len(loaded)} requests, {total / 1000:.1f} KB on the wire with an empty cache")
    for url, size in sorted(loaded, key=lambda each: -each[1]):
        tell(f"  {size:>6} {url.removeprefix(site.url)}")
    assert all(size for _, size in loaded)
    assert len(loaded) <= MOST_REQUESTS
    assert total <= MOST_BYTES
    # What comes next is asked for when all this is there: one more, and no bigger than the page.
    with page.expect_response("**/prefetch/") as ahead:
        page.reload()
    tell(f"  {len(ahead.value.body()):>6} bytes of the next item, later, not compressed")


def test_the_next_item_comes_with_the_reply_that_says_saved(visit, site, reader, tell):
    page = visit(reader["user"])
    page.goto("/")
    begin(page)
    took, asked = [], []
    page.on("request", lambda sent: asked.append(urlsplit(sent.url).path))
    for _ in range(3):
        first = item(page)
        press(page, "2")
        asked.clear()
        took.append(page.evaluate(ENTER_TO_NEXT))
        # One round trip, and no second place is held for somebody who may leave.
        assert item(page) != first
        meant = [path for path in asked if not path.endswith(("/draft/", "/prefetch/", ".svg"))]
        assert meant == [f"/work/{first}/"]
    took.sort()
    tell(f"From Enter to the next item on the page: median {took[1]:.0f} ms, of which the network is none")

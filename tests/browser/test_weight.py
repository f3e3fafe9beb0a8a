"""How heavy the reading page is, with an empty cache, counted on the wire."""

from __future__ import annotations

from typing import Any

MOST_REQUESTS, MOST_BYTES = 8, 60_000


def weighed(page, path) -> list[tuple[str, int]]:
    """Every request of a page and its bytes on the wire, headers of the reply included."""
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
    return [(url, int(sizes.get(each, 0))) for each, url in urls.items()]


def test_the_reading_page_is_light(visit, site, tell):
    page = visit("ada")
    page.goto("/studies/tide/begin/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    loaded: list[Any] = weighed(visit("ada"), page.url)
    total = sum(size for _, size in loaded)
    tell(f"The reading page: {len(loaded)} requests, {total / 1000:.1f} KB on the wire with an empty cache")
    for url, size in sorted(loaded, key=lambda each: -each[1]):
        tell(f"  {size:>6} {url.removeprefix(site.url)}")
    assert all(size for _, size in loaded)
    assert len(loaded) <= MOST_REQUESTS
    assert total <= MOST_BYTES

"""A study is set up from a file and opened, by keyboard; a reader answers its questions by key."""

from __future__ import annotations

import json
from uuid import uuid4

from playwright.sync_api import expect

from annotation.tasktypes.choice import Choice
from tests.browser import axe
from tests.browser.reading import focus, gone_on, item, press, stored, tab_to


def lines(n: int) -> bytes:
    rows = [{**Choice.example().payload, "left": [f"Part {k}."], "gold": {"option": 0}} for k in range(n)]
    return "\n".join(json.dumps(row) for row in rows).encode()


def saved(page) -> None:
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_be_visible()


def test_from_nothing_to_a_reader_who_says_how_sure_they_are(visit, site):
    title = f"Lamps {uuid4().hex[:8]}"
    page = visit("dora", reduced_motion="reduce")
    page.goto("/manage/new/")
    tab_to(page, page.get_by_label("Title"))
    page.keyboard.type(title)
    saved(page)
    expect(page.locator("h1")).to_have_text("Set the study up")
    setup = page.url
    slug = setup.split("/manage/")[1].split("/")[0]

    upload(page)
    page.goto(f"{setup}questions/")
    tab_to(page, page.get_by_label("Ask how sure"))
    press(page, "Space")
    tab_to(page, page.get_by_label("Ask whether"))
    press(page, "Space")
    saved(page)
    page.goto(f"{setup}reading/")
    tab_to(page, page.get_by_label("Readings of each item"))
    page.keyboard.press("Control+a")
    page.keyboard.type("1")
    saved(page)
    expect(page.locator("main")).to_contain_text("no invitation link is valid")

    reader = site.ask("joined", study=slug)
    page.goto(setup)
    tab_to(page, page.get_by_role("link", name="Open the study"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Open the study"))
    saved(page)

    page = visit(reader, reduced_motion="reduce")
    page.goto(f"/studies/{slug}/begin/")
    tab_to(page, page.get_by_role("button", name="Begin"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()
    assert axe.audit(page) == []
    first = item(page)
    press(page, "1", "r")
    assert focus(page)["name"] == "confidence"
    press(page, "g")
    page.keyboard.press("Enter")
    gone_on(page, first)
    (judgment,) = stored(site, {"study": slug})
    assert (judgment["confidence"], judgment["basis"]) == (4, "guessed")


def upload(page) -> None:
    """From the steps of a draft: a file with a fault, which is named, and one without."""
    tab_to(page, page.get_by_role("link", name="Items", exact=True).last)
    page.keyboard.press("Enter")
    page.wait_for_url("**/setup/items/")
    file = page.get_by_label("File of items")
    file.set_input_files({"name": "bad.jsonl", "mimeType": "text/plain", "buffer": lines(2) + b"\n{"})
    tab_to(page, page.get_by_role("button", name="Add its items").last)
    page.keyboard.press("Enter")
    expect(page.locator(".errors")).to_be_focused()
    expect(page.locator(".errors")).to_contain_text("bad.jsonl, line 3: is not JSON")
    assert axe.audit(page) == []
    file.set_input_files({"name": "good.jsonl", "mimeType": "text/plain", "buffer": lines(3)})
    tab_to(page, page.get_by_role("button", name="Add its items").last)
    saved(page)

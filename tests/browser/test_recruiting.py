"""From a recruiting service to the first item and back, by an id and without an account."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import follow, gone_on, item, press

PID = "5f3a9c0d1e2b4a6789abcdef"


def test_a_service_sends_a_reader_who_finds_the_way_back(visit, site):
    reader = site.ask("reader", items=2)
    desk = visit(site.ask("researcher_of", study=reader["study"]))
    desk.goto(f"/manage/{reader['study']}/recruiting/")
    desk.get_by_label("Completion code").fill("C1A2B3")
    desk.get_by_label("Address for who has done all").fill("https://app.example.org/complete?cc=C1A2B3")
    desk.get_by_role("button", name="Make a link").click()
    link = desk.get_by_label("Link for the service").input_value()
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}")
    assert axe.audit(desk, forced=True) == []

    page = visit(reduced_motion="reduce")
    asked = []
    page.on("request", lambda sent: asked.append(sent.url))
    follow(page, link.replace(site.url, "").replace("{{%PROLIFIC_PID%}}", PID))
    assert not [url for url in asked if PID in url], "no address that is sent holds the id"
    assert axe.audit(page, forced=True) == []
    page.get_by_role("button", name="Join the study").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    for last in (False, True):
        first = item(page)
        press(page, "1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/done/") if last else gone_on(page, first)
    back = page.locator("[data-way-back]")
    expect(back).to_contain_text("C1A2B3")
    expect(back.get_by_role("link", name="Go to app.example.org")).to_be_visible()
    expect(back).to_contain_text("https://app.example.org/complete?cc=C1A2B3")
    assert axe.audit(page, forced=True) == []
    assert all(url.startswith(site.url) for url in asked), "nothing was asked of the service"

    again = visit()
    follow(again, link.replace(site.url, "").replace("{{%PROLIFIC_PID%}}", PID))
    again.get_by_role("button", name="Go on").click()
    expect(again.locator("[data-way-back]")).to_contain_text("C1A2B3")

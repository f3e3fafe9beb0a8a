"""Evidence search by keyboard alone: a claim, its passages, a refusal, and the way into the book."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser import axe

FOCUSED = "document.activeElement.tagName"


def test_a_claim_is_searched_refused_and_followed_by_keyboard(visit, world):
    page = visit("dora", reduced_motion="reduce")
    page.goto(reverse("retrieval:search", args=[world["book"]]))
    page.locator("#id_claim").focus()
    page.keyboard.type("the sea at night")
    for control in ("INPUT", "SELECT", "BUTTON"):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == control
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits")
    expect(page.locator("#status")).to_have_text(re.compile(r"^\d+ passages found\.$"))
    expect(page).to_have_title(re.compile("^the sea at night · Search"))
    expect(page).to_have_url(re.compile("claim=the%20sea%20at%20night"))
    assert page.evaluate(FOCUSED) == "BUTTON"
    assert axe.audit(page) == []

    found = page.url
    page.locator("#id_claim").fill("zzyzx")
    page.locator("form.beside button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".errors")).to_be_focused()
    expect(page.locator(".errors")).to_contain_text("No word of the claim occurs in")
    assert axe.audit(page) == []

    page.go_back()
    page.wait_for_selector(".hits")
    expect(page).to_have_url(found)
    page.locator(".hits a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".leaf mark")


@pytest.mark.parametrize(
    ("who", "loading", "said"),
    [
        ("stan", False, "Encode the passages"),
        ("dora", False, "A member of staff can have them encoded"),
        ("dora", True, "The passages come by themselves."),
    ],
)
def test_axe_finds_nothing_while_passages_are_waited_for(visit, site, world, who, loading, said):
    """The page as the server words it for such a search; it goes on waiting."""
    address = reverse("retrieval:search", args=[world["book"]])
    asked = f"{address}?claim=the+sea&size=2&ranker=dense:trained"
    text = site.ask("search_that_waits", user=who, address=asked, loading=loading)
    page = visit(who, reduced_motion="reduce")
    page.route(
        lambda url: f"{address}?" in url,
        lambda route: (
            route.fulfill(status=204)
            if "hx-request" in route.request.headers
            else route.fulfill(body=text, content_type="text/html; charset=utf-8")
        ),
    )
    page.goto(asked)
    expect(page.locator("#found")).to_contain_text(said)
    assert axe.audit(page) == []


def test_it_works_without_scripts(visit, world):
    page = visit("dora", java_script_enabled=False)
    page.goto(reverse("retrieval:book", args=[world["book"]]))
    page.locator("#claim").fill("the sea at night")
    page.locator("#claim").press("Enter")
    expect(page.locator(".hits .option")).to_have_count(20)
    expect(page.locator("#id_claim")).to_have_value("the sea at night")

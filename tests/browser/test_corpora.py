"""A corpus by keyboard alone: neighbours of a document by [ and ], two runs compared on judgments."""

from __future__ import annotations

import re

from django.urls import reverse
from playwright.sync_api import expect

from tests.browser import axe


def test_neighbours_are_a_key_away_except_where_somebody_types(visit, world):
    page = visit("dora", reduced_motion="reduce")
    first, second = (reverse("corpora:document", args=[world["corpus"], n]) for n in (1, 2))
    page.goto(first)
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(f"{second}$"))
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile(f"{first}$"))
    expect(page.locator("a[rel=prev]")).to_have_count(0)
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<input id=\"typed\">')")
    page.locator("#typed").focus()
    page.keyboard.type("[1]")
    expect(page.locator("#typed")).to_have_value("[1]")
    expect(page).to_have_url(re.compile(f"{first}$"))


def test_runs_are_compared_and_looked_at_by_another_measure_by_keyboard(visit, world):
    page = visit("dora", reduced_motion="reduce")
    page.goto(reverse("evaluation:runs", args=[world["corpus"], world["topics"]]))
    page.locator("#id_base").focus()
    page.keyboard.type("bm25")
    page.locator(".ask button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#differences")).to_contain_text("Difference from bm25")
    page.locator("#by").focus()
    page.keyboard.type("MRR")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("base=bm25.*by=mrr"))
    expect(page.locator("figure svg desc")).to_contain_text("Raised on 1 of 2 topics")
    assert axe.audit(page) == []

"""Topic by topic, by keyboard alone: each is announced and confirmed, and stands beside its documents."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TookTooLong

from tests.browser import axe
from tests.browser.reading import (
    focus,
    focused,
    gone_on,
    item,
    press,
    press_on,
    saved,
    stop_the_clock,
    stored,
)

TOPICS, DOCUMENTS = 2, 15
ANNOUNCED = "[data-announces]"
LONG = (
    "() => { for (const one of document.querySelectorAll('.narrative')) one.prepend('long '.repeat(900)); }"
)


@pytest.fixture
def judge(site: Any) -> dict[str, Any]:
    """Somebody new in a new study of thirty documents of two topics."""
    return site.ask("topics_reader", topics=TOPICS, documents=DOCUMENTS)


def announced(page: Page) -> str:
    """Wait for the announcement of a topic; its heading has the focus. Returns its title."""
    expect(page.locator(ANNOUNCED)).to_be_visible()
    focused(page, "main h1")
    return page.locator("main h1").inner_text()


def confirm(page: Page) -> str:
    """Press Enter until it is no second half of a press before; returns the item that follows."""
    shown = page.locator("[data-item]")
    while not shown.count():
        press(page, "Enter")
        with suppress(TookTooLong):
            shown.wait_for(timeout=1500)
    focused(page, "main h1")
    return item(page)


def place(page: Page) -> str:
    return page.locator(".need .place").inner_text()


def judge_topic(page: Page, at: str, first: int = 1) -> str:
    """Grade the documents of a topic from that number on, the first at the address; that of the last."""
    for number in range(first, DOCUMENTS + 1):
        assert place(page) == f"Document {number} of {DOCUMENTS} of this topic"
        assert press(page, str(number % 5))["id"] == f"g{number % 5}-{at}"
        if number == 3 == first + 1:
            assert axe.audit(page) == []
        page.keyboard.press("Enter")
        if number < DOCUMENTS:
            at = gone_on(page, at)
    return at


def test_thirty_documents_of_two_topics_one_revised_one_put_off(visit, site, judge):
    page = visit(judge["user"])
    page.goto("/")
    press_on(page, page.get_by_role("button", name="Begin"))
    first_topic = announced(page)
    assert axe.audit(page) == []
    at = confirm(page)
    assert place(page) == f"Document 1 of {DOCUMENTS} of this topic"
    assert page.locator(".candidate input:checked").count() == 0
    assert axe.audit(page, forced=True) == []

    press(page, "l")  # Put off: it comes back at the very end.
    put_off, at = at, judge_topic(page, gone_on(page, at), first=2)
    second_topic = announced(page)
    assert second_topic != first_topic
    # From the announcement the last grade is taken back, and another given.
    page.keyboard.press("u")
    page.wait_for_url(f"**/work/{at}/")
    focused(page, "main h1")
    expect(page.locator(".right")).to_contain_text("You took your answer of")
    press(page, "4")
    page.keyboard.press("Enter")
    assert announced(page) == second_topic
    expect(saved(page)).to_contain_text("changed")
    judge_topic(page, confirm(page))
    assert announced(page) == first_topic
    expect(page.locator(".eyebrow")).to_have_text("Back to a topic")
    assert confirm(page) == put_off
    press(page, "?")
    assert focus(page)["tag"] == "BUTTON"
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    said = stored(site, judge)
    # The grade that was taken back, that it was, and the grade given instead.
    assert len(said) == TOPICS * DOCUMENTS + 2
    assert len({each["assignment"] for each in said}) == TOPICS * DOCUMENTS
    assert [each["outcome"] for each in said if each["revision"] > 1] == ["taken_back", "answer"]
    assert said[-1]["outcome"] == "undecided"
    assert {each["answer"]["grade"] for each in said if each["answer"]} == {0, 1, 2, 3, 4}


def test_the_second_half_of_a_double_press_confirms_no_topic(visit, site):
    judge = site.ask("topics_reader", topics=2, documents=1)
    page = visit(judge["user"])
    page.goto("/")
    press_on(page, page.get_by_role("button", name="Begin"))
    first = announced(page)
    confirm(page)
    stop_the_clock(page)
    page.reload()
    focused(page, "main h1")
    press(page, "1", "Enter")
    expect(page.locator(ANNOUNCED)).to_be_visible()
    second = announced(page)
    assert second != first
    press(page, "Enter")
    assert announced(page) == second
    page.clock.run_for(1500)
    confirm(page)


def test_the_topic_stands_still_beside_its_document_and_above_it_where_there_is_no_room(visit, judge):
    page = visit(judge["user"], viewport={"width": 1280, "height": 500})
    page.goto("/")
    press_on(page, page.get_by_role("button", name="Begin"))
    announced(page)
    confirm(page)
    expect(page.locator(".need-head")).to_be_hidden()
    before = page.locator(".need h2").bounding_box()["y"]
    page.evaluate(
        "() => { document.querySelector('.document').style.minBlockSize = '2000px'; scrollTo(0, 600); }"
    )
    after = page.locator(".need h2").bounding_box()["y"]
    assert 0 < after <= before
    page.evaluate(LONG)
    assert axe.violations(page) == [], "a long topic scrolls by keyboard, too"
    for width in (1000, 360):
        page.set_viewport_size({"width": width, "height": 500})
        expect(page.locator(".need")).to_be_hidden()
        title = page.locator(".need-head summary")
        page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
        box = title.bounding_box()
        assert 0 <= box["y"] < 150, f"the title is out of sight at {width} px"
    page.evaluate("() => scrollTo(0, 0)")
    press(page, "i")
    expect(page.locator(".need-body")).to_be_visible()
    assert axe.violations(page) == []
    press(page, "Escape")

"""Deciding by keyboard alone: a reading is picked, seen in the text, and decided on with a reason."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.scenery_adjudicating import JO


@pytest.mark.parametrize("scripts", [True, False])
def test_an_item_is_settled_by_keyboard_alone(visit, world, scripts):
    page = visit(JO, reduced_motion="reduce", java_script_enabled=scripts)
    number = world["choice_keys" if scripts else "choice_plain"]
    page.goto(f"/adjudicate/tide-simulated/{number}/")
    page.locator("[name=choice]").first.focus()
    page.keyboard.press("Space")
    expect(page.locator("[name=choice]").first).to_be_checked()
    if scripts:
        picked = page.locator(".own .candidate:has(:checked) .candidate-text")
        expect(page.locator(".gap-text")).to_have_text(picked.inner_text())
    while page.evaluate("document.activeElement.id") != "id_reason":
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") != "BODY"
    page.keyboard.type("The lamp.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text(f"Item {number} is decided, revision 1.")


def test_moving_the_control_makes_the_answer_ones_own(visit, world):
    page = visit(JO, reduced_motion="reduce")
    page.goto(f"/adjudicate/sermon-simulated/{world['span_waits']}/")
    page.locator("[data-fill^=first]").first.check()
    expect(page.locator(".marked mark")).to_have_count(1)
    page.locator("[data-token]").first.click()
    expect(page.locator("[data-own]")).to_be_checked()


def test_what_is_missing_is_said_where_it_is(visit, world):
    page = visit(JO, reduced_motion="reduce")
    page.goto(f"/adjudicate/tide-simulated/{world['choice_waits']}/")
    page.get_by_role("button", name="Decide and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    page.locator(".errors a").click()
    expect(page.locator("#id_reason")).to_be_focused()


def test_an_answer_of_ones_own_is_read_in_its_place_again_after_a_refusal(visit, world):
    page = visit(JO, reduced_motion="reduce")
    page.goto(f"/adjudicate/tide-simulated/{world['choice_waits']}/")
    page.locator(".own input[type=radio]").first.check()
    words = page.locator(".gap-text").inner_text()
    page.get_by_role("button", name="Decide and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    expect(page.locator("[data-own]")).to_be_checked()
    expect(page.locator(".gap-text")).to_have_text(words)

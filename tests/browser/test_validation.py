"""What a machine answered, revealed after the reader's own answer or chosen beforehand, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import item, press, press_on

WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
SAID = ".notice.machine"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reader_meets_the_machine_by_keyboard(visit, site, width, tmp_path):
    reader = site.ask("validation_reader", part="prefilled")
    page = visit(reader["user"], viewport=WIDTHS[width])
    page.goto(f"/studies/{reader['study']}/begin/")
    expect(page.locator("[data-machine-told]")).to_contain_text(
        "A machine has judged these items before you."
    )
    assert axe.audit(page) == []
    press_on(page, page.get_by_role("button", name="Begin"))
    expect(page.locator("[data-announces]")).to_be_visible()
    page.get_by_role("button").filter(has_text="Begin").or_(
        page.locator("[data-announces] button")
    ).first.click()
    met = set()
    while met < {"reveal", "prefilled"}:
        at = item(page)
        if page.locator(SAID).count():
            expect(page.locator(SAID)).to_contain_text("Its answer is chosen below already")
            expect(page.locator(f"#g3-{at}")).to_be_checked()
            page.screenshot(path=str(tmp_path / "prefilled.png"))
            assert axe.audit(page) == []
            met.add("prefilled")
            press(page, "2")
            page.keyboard.press("Enter")
        else:
            assert page.locator("[data-task] :checked").count() == 0
            press(page, "1")
            page.keyboard.press("Enter")
            expect(page.locator(SAID)).to_contain_text("Your answer is kept. A machine answered: 3")
            page.screenshot(path=str(tmp_path / "reveal.png"))
            assert axe.audit(page) == []
            assert item(page) == at
            # The second half of a double press keeps nothing.
            page.keyboard.press("Enter")
            expect(page.locator(SAID)).to_be_visible()
            if "reveal" in met:
                press(page, "3")
                page.keyboard.press("Enter")
            else:
                page.keyboard.press("y")
            met.add("reveal")
        expect(page.locator(f"[data-item='{at}']")).to_have_count(0)

"""What a machine answered, revealed after the reader's own answer or chosen beforehand, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import gone_on, item, press, press_on, stored
from tests.browser.test_R06_nothing_lost import MEANT, in_browser

WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
SAID = ".notice.machine"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reader_meets_the_machine_by_keyboard(visit, site, width, tmp_path):
    page, _ = begun(visit, site, WIDTHS[width])
    met, at = set(), "none"
    while met < {"reveal", "kept", "prefilled"}:
        at = gone_on(page, at)
        if page.locator(SAID).count():
            prefilled(page, at, tmp_path)
            met.add("prefilled")
            continue
        assert page.locator("[data-task] :checked").count() == 0
        press(page, "1", "Enter")
        revealed(page, at, tmp_path)
        if "reveal" not in met:
            press(page, "3", "Enter")
            met.add("reveal")
        else:
            page.keyboard.press("y")
            met.add("kept")


def begun(visit, site, viewport):
    """A page at the first item of somebody new, who was told of the machine; and who they are."""
    reader = site.ask("validation_reader", part="prefilled")
    page = visit(reader["user"], viewport=viewport)
    page.goto(f"/studies/{reader['study']}/begin/")
    expect(page.locator("[data-machine-told]")).to_contain_text(
        "A machine has judged these items before you."
    )
    assert axe.audit(page) == []
    press_on(page, page.get_by_role("button", name="Begin"))
    press_on(page, page.locator("[data-announces] button"))
    return page, reader


def prefilled(page, at, folder):
    """The machine's answer is chosen, and the heading has the focus; Enter alone submits nothing unread."""
    expect(page.locator(SAID)).to_contain_text("Its answer is chosen below already")
    expect(page.locator(f"#g3-{at}")).to_be_checked()
    page.screenshot(path=str(folder / "prefilled.png"))
    assert axe.audit(page) == []
    press(page, "Enter")
    assert item(page) == at
    press(page, "2", "Enter")


def revealed(page, at, folder):
    """The machine's answer has the focus and is in sight; the second half of a double press keeps nothing."""
    expect(page.locator(SAID)).to_contain_text("Your answer is kept. A machine answered: 3")
    expect(page.locator(SAID)).to_be_focused()
    expect(page.locator(SAID)).to_be_in_viewport(ratio=0.9)
    expect(page.locator(f"#g1-{at}")).to_be_checked()
    page.screenshot(path=str(folder / "reveal.png"))
    assert axe.audit(page) == []
    assert item(page) == at
    press(page, "Enter")
    expect(page.locator(SAID)).to_be_focused()


def test_answers_given_offline_are_sent_once_and_followed_by_the_machine(visit, site, watches):
    page, reader = begun(visit, site, WIDTHS["wide"])
    met, at, sent = set(), "none", []
    while met < {"reveal", "prefilled"}:
        at = gone_on(page, at)
        arm = "prefilled" if page.locator(SAID).count() else "reveal"
        offline(page, "2")
        sent.append({"grade": 2})
        if arm == "reveal":
            expect(page.locator(SAID)).to_be_focused()
            offline(page, "3")
            sent.append({"grade": 3})
        met.add(arm)
    gone_on(page, at)
    assert in_browser(page) == []
    assert [each["answer"] for each in stored(site, reader)] == sent
    for watch in watches:
        watch.complaints[:] = [each for each in watch.complaints if not any(why in each for why in MEANT)]


def offline(page, key):
    """Choose and submit without a network, where no machine's answer comes; then the network comes back."""
    shown = page.locator(SAID).all_inner_texts()
    page.context.set_offline(True)
    press(page, key, "Enter")
    expect(page.locator("[data-keeping]")).to_contain_text("Not submitted: no network. Your answer is kept")
    assert page.locator(SAID).all_inner_texts() == shown
    page.context.set_offline(False)

"""What a machine answered, revealed after the reader's own answer or chosen beforehand, by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.tasktypes import registry
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
    expect(page.locator(SAID)).to_contain_text("Its answer is chosen already")
    expect(page.locator(f"#g3-{at}")).to_be_checked()
    page.screenshot(path=str(folder / "prefilled.png"))
    assert axe.audit(page) == []
    press(page, "Enter")
    assert item(page) == at
    press(page, "2", "Enter")


def revealed(page, at, folder):
    """The machine's answer has the focus and is in sight; the second half of a double press keeps nothing."""
    expect(page.locator(SAID)).to_contain_text("Your answer is kept. A machine answered:")
    expect(page.locator(SAID)).to_contain_text("3: Largely relevant")
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


@pytest.mark.parametrize("task", ["rubric", "span", "spans"])
def test_answers_of_several_parts_stand_there_already_and_are_submitted(visit, site, task, tmp_path):
    """What a machine answered is in the form when the scripts have begun, too, and one press submits it."""
    reader = site.ask("machine_at_examples", task=task)
    page = visit(reader["user"], viewport={"width": 360, "height": 480})
    page.goto(f"/studies/{reader['study']}/begin/")
    press_on(page, page.get_by_role("button", name="Begin"))
    at, said = "none", {}
    while len(said) < 2:
        at = gone_on(page, at)
        arm = "prefilled" if page.locator(SAID).count() else "reveal"
        if arm == "reveal":
            own_answer(page, task)
        else:
            expect(page.locator(SAID)).to_contain_text("stands there already")
        press_on(page, page.get_by_role("button", name="Submit and go on"))
        if arm == "reveal":
            expect(page.locator(SAID)).to_contain_text("Keep yours, or change it.")
            # Where it begins stands below what stays in sight, however long it is.
            expect(page.locator(SAID)).to_be_focused()
            page.screenshot(path=str(tmp_path / f"{task}.png"))
            assert page.evaluate(IN_SIGHT, f"{SAID} p")
            assert axe.audit(page) == []
            page.keyboard.press("y")
        said.setdefault(arm, len(said))
    gone_on(page, at)
    answers = [each["answer"] for each in stored(site, reader)]
    machine = registry.get(task).example().answer
    assert (answers[said["prefilled"]] == machine, answers[said["reveal"]] == machine) == (True, False)


IN_SIGHT = """(what) => {
  const one = document.querySelector(what), { left, top } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(left + 2, top + 8));
}"""


def own_answer(page, task):
    """Give another answer than the machine's: of spans the anchor, and of one span a word more."""
    if task == "rubric":
        page.get_by_role("radio", name="In full").check()
    else:
        page.locator("[data-token]", has_text={"span": "asks", "spans": "tide"}[task]).click()

"""On a telephone and a tablet the reference stands above the passage, in sight while that goes by."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.marking import begun, touch
from tests.browser.reading import press
from tests.browser.scenery_adjudicating import JO

# Telephones, with the browser's own bars as well, and a tablet.
SCREENS = [(390, 844), (390, 664), (375, 667), (360, 640), (768, 1024)]
# Whether nothing lies upon the middle of an element.
ON_TOP = """
(one) => {
  const {left, right, top, bottom} = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}
"""
# Whether the focused element, or some of it, is covered by the reference or by the bar.
COVERED = """
() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  const [low, high] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  const fixed = [...document.querySelectorAll(".reference, .marked-bar")];
  if (fixed.some((each) => each.contains(one)) || one.matches(".submit")) return false;
  return high <= low || fixed.some((each) => {
    const {top, bottom} = each.getBoundingClientRect();
    return bottom > low + 1 && top < high - 1;
  });
}
"""


def top(locator):
    return locator.bounding_box()["y"]


def foot(locator):
    box = locator.bounding_box()
    return box["y"] + box["height"]


@pytest.fixture(params=SCREENS, ids=lambda size: "x".join(map(str, size)))
def narrow(request, site, visit):
    """`narrow("en")`: a page at the first of these passages in a window of that size."""

    def begin(*passages, verses=1):
        width, height = request.param
        size = {"width": width, "height": height}
        return begun(site, visit, *passages, verses=verses, viewport=size, has_touch=True)[0]

    return begin


def test_what_was_done_is_said_above_the_button_that_submits(narrow):
    page = narrow("en")
    page.keyboard.press("l")
    said = page.locator("#undo")
    expect(said).to_contain_text("Put off for later.")
    assert foot(said) <= top(page.locator(".submit"))
    assert foot(said) <= top(page.locator(".marked-bar"))


@pytest.mark.parametrize("narrow", SCREENS[:1], indirect=True)
def test_what_was_done_covers_no_answer_to_the_question_of_a_far_tap(narrow):
    page = narrow("en", "long")
    page.keyboard.press("l")
    expect(page.locator("#undo")).to_contain_text("Put off for later.")
    words = page.locator("[data-token]")
    expect(page.locator("#where")).to_contain_text("item 2")
    touch(page, words.nth(2), words.nth(4))
    words.nth(400).tap()
    leave = page.get_by_role("button", name="Leave it as it was")
    assert leave.evaluate(ON_TOP)
    leave.tap()
    expect(page.locator("[data-far]")).to_be_hidden()


def test_the_reference_stands_above_the_passage_and_in_sight(narrow):
    page = narrow("la")
    reference, passage = page.locator(".reference"), page.locator("[data-passage]")
    assert foot(page.locator("main h1")) <= top(reference)
    assert foot(reference) <= top(passage)
    expect(reference).to_be_in_viewport(ratio=1)
    assert foot(passage) <= top(page.locator(".borders")), "the control stands below the passage"
    assert axe.violations(page) == []


@pytest.mark.parametrize("verses", [1, 30])
def test_it_stays_in_sight_while_a_long_passage_goes_by_and_hides_no_focus(narrow, verses):
    page = narrow("en", verses=verses)
    reference, window = page.locator(".reference"), page.viewport_size["height"]
    assert page.evaluate("() => { scrollTo(0, 400); return scrollY; }") > 0
    expect(reference).to_be_in_viewport(ratio=1)
    assert reference.bounding_box()["height"] <= window / 4 + 1
    # By keys alone: nothing that takes the focus lies below the reference, forwards or back.
    page.locator("[id^=start-]").focus()
    for key in ["Tab"] * 6 + ["Shift+Tab"] * 8:
        press(page, key)
        assert not page.evaluate(COVERED), page.evaluate("document.activeElement.outerHTML")
    # What is marked by key is brought to where it is seen.
    page.locator("main h1").focus()
    press(page, "a", "s")
    first = page.locator("mark [data-token]").first
    assert top(first) >= foot(reference) - 1
    assert axe.violations(page) == []


@pytest.mark.parametrize("narrow", [(320, 256)], indirect=True)
def test_at_four_times_the_size_it_goes_by_with_the_passage(narrow):
    page = narrow("en")
    expect(page.locator(".reference")).to_have_css("position", "static")


@pytest.mark.parametrize("size", SCREENS[::4])
def test_the_adjudicator_has_it_above_the_passage_as_well(visit, world, size):
    page = visit(JO, viewport={"width": size[0], "height": size[1]})
    page.goto(f"/adjudicate/sermon-simulated/{world['span_waits']}/")
    assert foot(page.locator(".reference")) <= top(page.locator("[data-passage]"))
    assert axe.violations(page) == []

"""A rubric by keyboard alone: questions come and go with their conditions, and what is hidden is not sent."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import begin, gone_on, item, press, stored, tab_to


@pytest.fixture
def reader(site):
    return site.ask("rubric_reader")


@pytest.fixture
def page(visit, reader):
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    return page


def question(page, key):
    return page.locator(f"[data-question={key}]")


def test_four_texts_with_a_condition_a_revision_and_one_put_off(page, site, reader):
    first = item(page)
    expect(question(page, "specificity")).to_be_visible()
    expect(question(page, "quality")).to_be_hidden()
    assert page.locator("[data-question] :checked").count() == 0
    assert axe.audit(page, forced=True) == []
    press(page, "1")
    expect(page.locator("#status")).to_have_text("Also asked: How good is the question?")
    assert press(page, "Tab")["name"] == "question-quality"
    expect(question(page, "quality").locator("kbd").first).to_have_text("0")
    press(page, "1")
    expect(question(page, "edited")).to_be_visible()
    press(page, "Tab")
    page.keyboard.type("How far does a bell carry?")
    assert axe.audit(page, forced=True) == []
    # Enter begins a line where one writes; with Ctrl it submits.
    page.keyboard.press("Control+Enter")
    second = gone_on(page, first)

    press(page, "3", "Enter")
    third = gone_on(page, second)
    page.keyboard.press("l")
    fourth = gone_on(page, third)

    page.keyboard.press("p")
    page.wait_for_url(f"**/work/{third}/")
    press(page, "p")
    page.wait_for_url(f"**/work/{second}/")
    expect(page.locator("main h1")).to_be_focused()
    press(page, "2", "Tab", "0", "Enter")
    gone_on(page, second)
    assert item(page) == fourth

    press(page, "1", "Enter")
    expect(page.locator(".errors")).to_contain_text("“How good is the question?” is not answered yet.")
    expect(page.locator(".errors")).to_be_focused()
    assert axe.violations(page) == []
    tab_to(page, page.locator(".errors a"))
    page.keyboard.press("Enter")
    press(page, "2")
    page.keyboard.press("Enter")
    gone_on(page, fourth)
    assert item(page) == third
    press(page, "3")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    assert [(each["revision"], each["answer"]) for each in stored(site, reader)] == [
        (1, {"specificity": "specific", "quality": "1", "edited": "How far does a bell carry?"}),
        (1, {"specificity": "too_general"}),
        (2, {"specificity": "broad", "quality": "0"}),
        (1, {"specificity": "specific", "quality": "2"}),
        (1, {"specificity": "too_general"}),
    ]  # fmt: skip


def test_what_is_not_asked_any_more_stays_in_the_draft_and_is_not_sent(page, site, reader):
    first = item(page)
    press(page, "1", "Tab", "2", "Tab")
    page.keyboard.type("Shorter.")
    press(page, "Shift+Tab", "Shift+Tab")
    with page.expect_response("**/draft/"):
        press(page, "3")
    expect(question(page, "edited")).to_be_hidden()
    page.reload()
    expect(question(page, "quality")).to_be_hidden()
    press(page, "2")
    expect(question(page, "quality").locator(":checked")).to_have_value("2")
    expect(page.get_by_label("The question as it should be asked")).to_have_value("Shorter.")
    press(page, "3", "Enter")
    gone_on(page, first)
    assert [each["answer"] for each in stored(site, reader)] == [{"specificity": "too_general"}]


def test_it_works_without_scripts(visit, site, reader):
    page = visit(reader["user"], java_script_enabled=False)
    page.goto(f"/studies/{reader['study']}/begin/")
    page.get_by_role("button", name="Begin").click()
    here = item(page)
    assert [question(page, key).is_visible() for key in ("specificity", "quality", "edited")] == [True] * 3
    page.get_by_label("Too general").check()
    page.get_by_label("2: good").check()
    page.get_by_role("button", name="Submit and go on").click()
    expect(page.locator(".errors")).to_contain_text(
        "is asked only if the answer to “How many papers would fit this question?” is"
    )
    page.get_by_label("Not asked").check()
    page.get_by_role("button", name="Submit and go on").click()
    expect(page.locator("[data-item]")).not_to_have_attribute("data-item", here)
    assert [each["answer"] for each in stored(site, reader)] == [{"specificity": "too_general"}]


def test_a_reading_is_adopted_and_changed_and_the_pages_of_its_researcher_are_sound(visit, site):
    made = site.ask("rubric_judged")
    page = visit(made["adjudicator"], reduced_motion="reduce")
    page.goto(f"/adjudicate/{made['study']}/1/")
    page.get_by_label("remark: Nothing would.").check()
    expect(page.get_by_label("What would fit better?")).to_have_value("Nothing would.")
    page.get_by_label("type: Retold; quality: Grade 0").check()
    expect(question(page, "remark")).to_be_hidden()
    question(page, "quality").locator("[value='2']").check()
    expect(page.get_by_label("Another answer, given below")).to_be_checked()
    expect(page.get_by_label("What would fit better?")).to_have_value("")
    page.get_by_label("What would fit better?").fill("A claim.")
    question(page, "type").locator("[value=other]").check()
    expect(question(page, "quality")).to_be_hidden()
    page.get_by_label("Why", exact=True).fill("It is none of these.")
    assert axe.violations(page) == []
    page.get_by_role("button", name="Decide and go on").click()
    page.wait_for_url(lambda url: not url.endswith("/1/"))
    assert site.ask("rubric_decision", study=made["study"]) == {"type": "other"}
    page = visit(made["researcher"], reduced_motion="reduce")
    here = f"/manage/{made['study']}"
    pages = (
        f"/results/{made['study']}/",
        f"{here}/items/1/",
        f"{here}/export/",
        f"{here}-draft/setup/items/",
    )
    for path in pages:
        page.goto(path)
        expect(page.locator("h1")).to_have_count(1)
        assert axe.violations(page) == [], path

"""Keys of one's own and a look of one's own, set once and there on another machine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import candidate, chosen, focused, gone_on, item, press, stored, tab_to


@pytest.fixture
def page(visit, reader):
    page = visit(reader["user"], reduced_motion="reduce")
    page.goto("/preferences/")
    return page


def at_an_item(page):
    page.goto("/")
    page.get_by_role("button", name=re.compile("^(Begin|Continue)")).click()
    expect(page.locator("main h1")).to_be_focused()


def test_keys_are_changed_by_keyboard_and_work_on_another_machine(page, visit, site, reader):
    for label, key in (("a note to the researcher", "k"), ("the second", "j")):
        tab_to(page, page.get_by_label(label, exact=True))
        page.keyboard.press("Control+a")
        page.keyboard.type(key)
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("for every machine")
    assert axe.audit(page, forced=True) == []

    other = visit(reader["user"])
    at_an_item(other)
    first = item(other)
    other.keyboard.press("n")
    assert other.locator(".acts details[open]").count() == 0
    other.keyboard.press("2")
    assert chosen(other) == 0
    assert press(other, "j")["id"] == f"c2-{first}"
    assert press(other, "k")["name"] == "note"
    press(other, "Escape")
    other.locator("summary", has_text="Keys").click()
    expect(other.locator(".keys dl")).to_contain_text("K")
    other.keyboard.press("Escape")
    candidate(other, 2).focus()
    other.keyboard.press("Enter")
    gone_on(other, first)
    assert len(stored(site, reader)) == 1


def test_two_acts_on_one_key_are_refused_where_they_stand(page):
    page.get_by_label("later", exact=True).fill("f")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".errors")).to_be_focused()
    expect(page.locator(".errors")).to_contain_text("The key F would do two things")
    assert axe.audit(page, forced=True) == []
    press(page, "Tab", "Enter")
    focused(page, "[name=key-later]")
    expect(page.get_by_label("later", exact=True)).to_have_attribute("aria-invalid", "true")


def test_the_look_chosen_on_one_machine_is_there_before_the_first_paint_on_another(page, visit, reader):
    at_an_item(page)
    page.locator("summary", has_text="Aa").click()
    for name in ("Sepia", "Largest"):
        with page.expect_response("**/preferences/") as reply:
            page.locator("[data-reader] label", has_text=re.compile(f"^{name}$")).click()
        assert reply.value.status == 204
    other = visit(reader["user"], java_script_enabled=False)
    other.goto("/")
    expect(other.locator("html")).to_have_attribute("data-theme", "sepia")
    expect(other.locator("html")).to_have_attribute("data-size", "xl")
    again = visit(reader["user"])
    again.goto("/preferences/")
    expect(again.locator("main").get_by_label("Sepia")).to_be_checked()

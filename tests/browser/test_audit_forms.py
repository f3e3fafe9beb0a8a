"""axe finds nothing on a form that was refused, and the summary of what is wrong has the focus."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.reading import focused, press
from tests.browser.test_audit import go

# Who sends it empty, where, with which button.
FORMS = [
    (None, "login", [], "Sign in"),
    (None, "annotation:join", [], "Go on"),
    (None, "new_password", ["#password_link"], "Save"),
    (None, "annotation:join", ["#invitation"], "Make the account and join"),
    ("dora", "annotation:build", [], "Make the draft"),
    ("dora", "annotation:invite", ["=harbour"], "Make a link"),
    ("dora", "annotation:guidelines", ["=harbour"], "Save as version"),
    ("dora", "annotation:tokens", [], "Make the key"),
    ("stan", "retrieval:import_book", [], "Import"),
    ("stan", "retrieval:import_source", [], "Import"),
    ("stan", "retrieval:import_relic", [], "Import"),
    ("stan", "retrieval:find_excerpts", ["source"], "Find"),
    ("stan", "retrieval:generate", ["book"], "Launch"),
    ("stan", "retrieval:exclude", ["source"], "Exclude it"),
    ("stan", "retrieval:take", ["source", "book", "drop_start", "drop_end"], "Take it"),
    ("stan", "retrieval:excerpt", ["excerpt"], "Reject it"),
    ("stan", "retrieval:excerpt_borders", ["excerpt"], "Move the borders"),
    ("stan", "retrieval:book_parts", ["loose_book"], "Change the book"),
]


@pytest.mark.parametrize(
    ("who", "name", "args", "button"), FORMS, ids=[" ".join([each[1], *each[2]]) for each in FORMS]
)
def test_a_refused_form(visit, world, who, name, args, button):
    page = visit(who, reduced_motion="reduce")
    go(page, world, name, args)
    page.evaluate(
        """() => document.querySelectorAll("main form").forEach((form) => {
          form.noValidate = true;
          form.querySelectorAll("input:not([type=hidden], [type=checkbox]), select, textarea").forEach(
            (control) => { control.value = ""; });
        })"""
    )
    page.locator("main").get_by_role("button", name=button).first.click()
    expect(page.locator(".errors")).to_be_focused()
    assert axe.audit(page) == []
    if page.locator(".errors a").count():
        press(page, "Tab", "Enter")
        focused(page, "input, select, textarea, fieldset")


def test_enter_in_the_reason_for_many_excerpts_asks_which_button(visit, world):
    page = visit("stan")
    go(page, world, "retrieval:excerpts", [])
    page.locator("input[name=ticked]").first.check()
    page.get_by_label("Reason").fill("An index")
    page.get_by_label("Reason").press("Enter")
    expect(page.get_by_text("press one of the buttons").first).to_be_visible()
    expect(page.locator("input[name=ticked]").first).to_be_checked()
    expect(page.get_by_label("Reason")).to_have_value("An index")

"""A reader whose browser asks for German: from signing in to the end, offline too, wide and narrow."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.backstage import PASSWORD
from tests.browser.marking import answers, slider, spoken
from tests.browser.reading import follow, gone_on, item, press, stored
from tests.browser.test_offline import go_offline, waiting
from tests.browser.test_R06_nothing_lost import MEANT
from tests.browser.test_weight import MOST_BYTES, MOST_REQUESTS, weighed

GERMAN = {"locale": "de-DE", "reduced_motion": "reduce"}
NARROW = {"viewport": {"width": 390, "height": 844}}
BEGIN = re.compile("^(Beginnen|Fortsetzen)")
TAKE = "5 Aufgaben mitnehmen, um sie ohne Netz zu lesen"
# How many rows the head of the page has, by where what stands in it begins.
ROWS = """
() => new Set([...document.querySelectorAll(".head-row > :is(.wordmark, .where, .tools)")]
  .filter((one) => one.checkVisibility())
  .map((one) => Math.round(one.getBoundingClientRect().top / 24))).size
"""


@pytest.fixture
def german(visit, watches):
    yield lambda user=None, **options: visit(user, **GERMAN, **options)
    for watch in watches:
        watch.complaints[:] = [each for each in watch.complaints if not any(why in each for why in MEANT)]


def begin(page):
    page.get_by_role("button", name=BEGIN).first.click()
    page.wait_for_url("**/work/*/")
    expect(page.locator("main h1")).to_be_focused()


def fits(page):
    """Nothing is wider than the window."""
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_signing_in_choosing_and_taking_back(german, site, reader):
    page = german()
    page.goto("/login/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert axe.audit(page) == []
    page.get_by_label("Benutzername").fill(reader["user"])
    page.get_by_label("Passwort").fill("falsch")
    page.get_by_role("button", name="Anmelden").click()
    expect(page.locator(".errors h2")).to_have_text("Nicht angemeldet")
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    page.wait_for_url("/")
    expect(page.locator(".lead")).to_have_text("Eine Studie hat etwas für Sie zu lesen.")
    begin(page)
    expect(page.locator("main h1")).to_have_text("Welche Textstelle wird hier zitiert?")
    first = item(page)
    page.keyboard.press("Enter")
    press(page, "2")
    page.keyboard.press("Enter")
    gone_on(page, first)
    assert axe.audit(page) == []
    expect(page.locator("#undo")).to_contain_text(re.compile(r"Aufgabe 1 gespeichert \d\d:\d\d\."))
    page.locator("#undo button").evaluate("(one) => one.click()")
    expect(page.locator(".right")).to_contain_text("ist zurückgenommen und zählt nicht")
    assert item(page) == first
    # What the critic and the novel say keeps its own language.
    assert page.locator(".prose").first.get_attribute("lang") == "en"
    assert page.locator(".gap-blank").get_attribute("lang") == "de"


def test_consent_and_practice(german, world):
    page = german("fay-of-the-ferry")
    page.goto("/studies/ferry/consent/")
    assert axe.audit(page) == []
    page.get_by_role("button", name="Ich willige ein").click()
    page.wait_for_url("**/work/*/")
    expect(page.locator("#where")).to_contain_text("Übung 1 von")
    press(page, "1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/feedback/")
    expect(page.locator(".feedback h2")).to_have_text(
        re.compile("Das ist richtig|Nicht die erwartete Antwort")
    )
    assert axe.audit(page) == []


def test_marking_a_span(german, site):
    reader = site.ask("span_reader", passages=["la"])
    page = german(reader["user"])
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    expect(spoken(page)).to_contain_text("Noch nichts markiert.")
    press(page, "s")
    expect(spoken(page)).to_contain_text(re.compile(r"^\d+ Wörter:"))
    expect(slider(page, "Beginnt")).to_have_attribute("aria-valuetext", re.compile(r", Wort \d+ von \d+$"))
    page.get_by_role("button", name="Rückgängig").click()
    expect(page.locator("#status")).to_contain_text("Zurückgenommen.")
    page.get_by_role("button", name="Wiederholen").click()
    assert axe.audit(page) == []
    page.get_by_role("button", name="Abschicken und weiter").click()
    page.wait_for_url("**/done/")
    assert len(answers(site, reader)) == 1


def test_without_a_network_and_after_another_language_was_chosen(german, site):
    reader = site.ask("reader", items=7)
    page = german(reader["user"], service_workers="allow")
    page.goto(f"/studies/{reader['study']}/begin/")
    page.wait_for_function("() => navigator.serviceWorker.ready.then((one) => Boolean(one.active))")
    page.get_by_role("button", name=TAKE).click()
    expect(page.locator("form[data-along]")).to_contain_text("5 Aufgaben lassen sich bis")
    begin(page)
    go_offline(page)
    for _ in range(2):
        before = item(page)
        press(page, "2")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, was=before: f"/work/{was}/" not in url)
        page.wait_for_load_state("load")
    line = "Kein Netz. 2 Antworten warten in diesem Browser und werden der Reihe nach gesendet."
    expect(waiting(page)).to_contain_text(line)
    expect(page.locator("main h1")).to_have_text("Welche Textstelle wird hier zitiert?")
    assert axe.audit(page) == []
    page.context.set_offline(False)
    page.evaluate("() => dispatchEvent(new Event('online'))")
    expect(waiting(page)).to_contain_text(re.compile(r"Was wartete, wurde um \d\d:\d\d gesendet\."))
    assert len(stored(site, reader)) == 2
    # Pages that were kept in German are not shown any more when English is chosen.
    page.goto("/preferences/")
    page.get_by_role("radio", name="English").check()
    page.get_by_role("button", name="Speichern").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".messages")).to_contain_text("Saved")
    page.goto(f"/studies/{reader['study']}/begin/")
    names = "() => caches.keys().then((all) => all.filter((one) => one.includes('-de.')))"
    page.wait_for_function(f"async () => !(await ({names})()).length")
    expect(page.get_by_role("button", name="Take 5 items along")).to_be_visible()


def test_the_pages_fit_a_telephone_in_german(german, reader):
    page = german(reader["user"], **NARROW)
    page.goto("/")
    fits(page)
    begin(page)
    page.wait_for_selector("[data-sitting]:not([hidden])")
    assert page.evaluate(ROWS) == 2
    fits(page)
    first = item(page)
    press(page, "2")
    page.keyboard.press("Enter")
    gone_on(page, first)
    fits(page)
    assert axe.audit(page) == []
    for name in ("done", "notebook", "mine", "messages", "mail", "leave", "withdraw"):
        page.goto(f"/studies/{reader['study']}/{name}/")
        fits(page)
    page.goto("/preferences/")
    fits(page)


def test_a_link_is_followed_in_german(german, world):
    page = german()
    follow(page, f"/signin/#{world['signin_link']}")
    expect(page.locator("h1")).to_have_text(re.compile("^Als .* anmelden$"))
    assert axe.audit(page) == []


def test_the_reading_page_is_as_light_in_german(german, reader, tell):
    page = german(reader["user"])
    page.goto("/")
    begin(page)
    loaded = [each for each in weighed(german(reader["user"]), page.url) if not each[0].endswith(".woff2")]
    total = sum(size for _, size in loaded)
    tell(f"The reading page in German: {len(loaded)} requests, {total / 1000:.1f} KB on the wire")
    assert len(loaded) <= MOST_REQUESTS
    assert total <= MOST_BYTES


@pytest.mark.parametrize(("language", "begin_as"), [("en-GB", "Begin"), ("de-DE", "Beginnen")])
def test_the_smallest_telephone_has_two_rows_of_head_with_a_goal(visit, reader, language, begin_as):
    page = visit(
        reader["user"], locale=language, viewport={"width": 360, "height": 640}, reduced_motion="reduce"
    )
    page.goto("/preferences/")
    page.locator("input[name=goal][value='20']").check()
    page.locator("form.form button.primary").click()
    page.goto("/")
    page.get_by_role("button", name=re.compile(f"^{begin_as}")).first.click()
    page.wait_for_selector("[data-sitting]:not([hidden])")
    expect(page.locator("[data-sitting-far]")).to_have_text(re.compile("^0.(of|von).20$"))
    assert page.evaluate(ROWS) == 2
    assert len({round(one.bounding_box()["y"]) for one in page.locator(".tool > summary:visible").all()}) == 1
    fits(page)


def test_on_a_telephone_no_button_at_the_foot_of_a_span_covers_another(german, site):
    reader = site.ask("span_reader", passages=["la"])
    page = german(reader["user"], has_touch=True, **NARROW)
    page.goto(f"/studies/{reader['study']}/begin/")
    begin(page)
    page.wait_for_selector("[data-sitting]:not([hidden])")
    assert page.evaluate(ROWS) == 2, "with a long name, too"
    press(page, "s")
    submit = page.locator("[data-submit]").bounding_box()
    edits = [one.bounding_box() for one in page.locator(".edits button:visible").all()]
    assert len(edits) == 3
    for one in edits:
        assert one["y"] + one["height"] <= submit["y"]
        assert one["x"] + one["width"] <= NARROW["viewport"]["width"]
    # A panel lies above the bar, down to its last line.
    page.locator("details:has(form.keys) > summary").click()
    panel = page.locator("form.keys").bounding_box()
    foot = f"document.elementFromPoint({panel['x'] + 40}, {panel['y'] + panel['height'] - 8})"
    assert page.evaluate(f"() => Boolean({foot}?.closest('form.keys'))")
    page.keyboard.press("Escape")
    # What stands above the bar can be scrolled out from under it.
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator("main a:visible, main button:visible, main summary:visible").evaluate_all(
        "(all) => Math.max(...all.filter((one) => !one.closest('.marked-bar, .submit'))"
        ".map((one) => one.getBoundingClientRect().bottom))"
    )
    assert last <= page.locator(".marked-bar").bounding_box()["y"]
    fits(page)


def test_what_was_decided_is_read_row_by_row_on_a_telephone(german, world):
    page = german("sim-tide-simulated-1", **NARROW)
    page.goto("/studies/tide-simulated/decisions/")
    fits(page)
    wrap = page.locator(".table-wrap")
    assert wrap.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "nothing is cut off at its side"
    first = page.locator("tbody tr").first.locator("td")
    assert [one.evaluate("(one) => getComputedStyle(one, '::before').content") for one in first.all()] == [
        '"Ihre Antwort"', '"Entscheidung"', '"Begründung"',
    ]  # fmt: skip
    assert min(one.bounding_box()["width"] for one in first.all()) > 300
    assert axe.audit(page) == []


def test_the_basis_of_an_answer_is_asked_in_one_row(german, world):
    for options in ({}, NARROW):
        page = german("hal-of-the-ferry", **options)
        page.goto(f"/work/{world['changed']}/")
        one, two, three = (each.bounding_box() for each in page.locator("input[name=basis] + span").all())
        assert one["y"] == two["y"] == three["y"]

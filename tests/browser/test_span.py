"""Marking a span by keys, mouse, touch, slider and button; whatever is done, it holds the anchor."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.marking import (
    AT_REST,
    answers,
    begun,
    draw,
    handle,
    middle,
    slider,
    spoken,
    submit,
    touch,
    word,
)
from tests.browser.reading import begin_by_keys, focus, focused, gone_on, item, press, saved, stored, tab_to

MARKS = "() => document.querySelectorAll('[data-passage] mark').length"
# How many pixels of its track a slider gives each word.
A_WORD = "(one) => one.clientWidth / (one.max - one.min)"
# The median of a move of the mouse that draws, in milliseconds, with what the page makes of it.
MOVES = """
() => {
  const passage = document.querySelector("[data-passage]");
  const {left, top, width} = passage.getBoundingClientRect();
  const mouse = {pointerId: 1, pointerType: "mouse", isPrimary: true, bubbles: true};
  const send = (kind, x, y) => passage.dispatchEvent(
    new PointerEvent(`pointer${kind}`, {...mouse, clientX: left + x, clientY: top + y}));
  // No pointer of the system is down that could be captured.
  passage.setPointerCapture = () => {};
  send("down", 5, 10);
  const took = Array.from({length: 200}, (_, n) => {
    const began = performance.now();
    send("move", (n * 37) % width, 10 + n * 3);
    return performance.now() - began;
  });
  send("up", 5, 10);
  return took.sort((one, other) => one - other)[100];
}
"""
# Random acts upon a passage, 4,000 of them, and what they break: every rule of a mark that one can state.
RULES = """
async ({anchor, most}) => {
  const marks = await import("/static/annotation/marking/marks.js");
  let seed = 7;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const n = 60, words = Array.from({length: n}, (_, at) => at % 5 !== 3);
  const text = {n, words, anchor, held: most === 1 ? anchor : null, most};
  text.clauses = marks.units(text, [0, 9, 20, 34, 49]);
  text.sentences = marks.units(text, [0, 20]);
  let state = {spans: [], at: null, from: 0};
  const history = new marks.History(), broken = [];
  const acts = [
    () => marks.byWord(text, state, Boolean(random(2)), Boolean(random(2))),
    () => marks.byUnit(text, state, Boolean(random(2)), Boolean(random(2)), text.clauses),
    () => marks.byUnit(text, state, Boolean(random(2)), Boolean(random(2)), text.sentences),
    () => marks.whole(text, state, text.sentences),
    () => marks.moved(text, state, Boolean(random(2)), random(n + 10) - 5, 1),
    () => marks.drawn(text, state, random(n), random(n)),
    () => {
      const {state: to, all, anew} = marks.tapped(text, state, random(n));
      return to ?? [all, anew][random(2)];
    },
    () => (most > 1 ? marks.another(state) : marks.anchorAlone(text, state)),
    () => (random(9) ? state : marks.cleared(state)),
  ];
  for (let step = 0; step < 4000; step += 1) {
    const which = random(acts.length), next = acts[which]();
    if (!next) continue;
    history.record(state, "", 0);
    const back = history.undo(next);
    if (back !== state || history.redo(back) !== next) broken.push([which, "undo"]);
    state = next;
    const spans = state.spans;
    if (spans.length > most || (state.at !== null && !spans[state.at])) broken.push([which, "how many"]);
    for (const [at, [first, last]] of spans.entries()) {
      if (!(0 <= first && first <= last && last < n)) broken.push([which, "order", first, last]);
      if (at && first <= spans[at - 1][1]) broken.push([which, "apart"]);
      if (!marks.rests(text, first) || !marks.rests(text, last)) broken.push([which, "on words"]);
      if (text.held && !(first <= anchor[0] && anchor[1] <= last)) broken.push([which, "anchor"]);
    }
  }
  return [broken.slice(0, 3), history.past.length > 1000];
}
"""


@pytest.fixture
def open_item(site, visit):
    """`open_item("la", …)`: a page at the first of these passages, and whose it is."""
    return partial(begun, site, visit)


def test_three_items_by_keyboard_alone(site, visit):
    reader = site.ask("span_reader", passages=["la", "grc", "he"])
    page = visit(reader["user"])
    begin_by_keys(page)
    first = item(page)
    press(page, "Enter")
    assert item(page) == first, "an item unread is not submitted"
    press(page, "a")
    expect(spoken(page)).to_have_text("1 word: scientiae")
    press(page, *["ArrowLeft"] * 5)
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    press(page, "ArrowLeft", "Alt+Shift+ArrowRight")
    expect(spoken(page)).to_have_text("10 words: pacis sed … illa")
    press(page, "s")
    expect(spoken(page)).to_have_text("12 words: Osculum plane … illa")
    press(page, "a", "Control+ArrowLeft")
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    # Steps of one border are one act; who clears by mistake has it again.
    press(page, "Shift+ArrowRight", "Shift+ArrowRight", "Control+z")
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    press(page, "Delete")
    expect(spoken(page)).to_contain_text("Nothing marked")
    press(page, "Control+z", "Control+Shift+Z", "Control+y", "Control+z")
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    expect(page.locator("#status")).to_have_text("Undone. 6 words: sed dilectio … scientiae")
    page.keyboard.press("Enter")

    second = gone_on(page, first)
    expect(page.locator(".about")).to_contain_text("There is no anchor")
    press(page, "x")
    assert focus(page)["text"] == "No allusion here"
    page.keyboard.press("Enter")

    third = gone_on(page, second)
    assert press(page, "0")["text"] == "It has no clear beginning"
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    page.goto(f"/work/{first}/")
    expect(page.locator("mark")).to_have_text("sed dilectio illa supereminet omni scientiae")
    tab_to(page, slider(page, "Ends"))
    press(page, "ArrowUp", "ArrowLeft")
    assert press(page, "Shift+Tab")["id"] == f"start-{first}", "two stops, whatever the length"
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    page.goto(f"/work/{third}/")
    expect(saved(page)).to_contain_text("can’t set the borders: It has no clear beginning")
    said = [(each["outcome"], each["answer"]) for each in stored(site, reader)]
    assert said == [
        ("answer", {"start": 9, "end": 15}),
        ("answer", {"declined": "no_allusion"}),
        ("undecided", None),
        ("answer", {"start": 9, "end": 18}),
    ]


def test_by_touch_on_a_telephone(site, open_item):
    page, reader = open_item("la", "grc", has_touch=True, viewport={"width": 390, "height": 844})
    expect(page.get_by_label("Number of the first word")).to_be_hidden()
    # A finger that goes along the line marks; its mark takes the anchor in. Handles are as large as a finger.
    touch(page, word(page, "sed"), word(page, "illa").first)
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    assert handle(page, "end").bounding_box()["width"] == 44
    touch(page, handle(page, "end"), word(page, "pax"), below=True)
    expect(spoken(page)).to_have_text("8 words: sed dilectio … pax")
    # One that goes up scrolls, and takes no word.
    (x, y), height = middle(word(page, "plane")), page.evaluate("scrollY")
    with touch(page, (x, y + 60), (x, y + 20), (x + 3, y - 40), release=False):
        page.wait_for_function("(before) => scrollY > before", arg=height)
        # Lifted at rest: a page that is thrown rolls on, on a busy machine after it has stood still.
        page.wait_for_function(AT_REST)
    expect(spoken(page)).to_have_text("8 words: sed dilectio … pax")
    # One that rests marks in every direction; a tap moves the nearer border, and the anchor stays in.
    touch(page, word(page, "Osculum"), word(page, "plane"), hold=True)
    expect(spoken(page)).to_have_text("9 words: Osculum plane … scientiae")
    word(page, "dilectio").tap()
    word(page, "scientiae").tap()
    expect(spoken(page)).to_have_text("5 words: dilectio illa supereminet omni scientiae")
    # What is marked, undo and submit stay in sight, large enough for a finger.
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for name in ("Undo the last", "Redo", "Clear", "Submit and go on"):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=1)
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 44
    for button in page.locator("[data-step]").all():
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 44
    assert axe.violations(page) == []
    page.get_by_role("button", name="Clear").tap()
    expect(spoken(page)).to_contain_text("Nothing marked")
    page.get_by_role("button", name="Undo the last").tap()
    expect(spoken(page)).to_have_text("5 words: dilectio illa supereminet omni scientiae")
    first = item(page)
    submit(page)
    gone_on(page, first)
    for tapped, heard in (
        ("θεὰ", "1 word: θεὰ"),
        ("οὐλομένην", "4 words: θεὰ, Πηληϊάδεω Ἀχιλῆος, οὐλομένην"),
        ("Μῆνιν", "6 words: Μῆνιν ἄειδε … οὐλομένην"),
        ("ἄειδε", "5 words: ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος, οὐλομένην"),
        ("Ἀχιλῆος", "4 words: ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος"),
    ):
        word(page, tapped).tap()
        expect(spoken(page)).to_have_text(heard)
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"start": 10, "end": 15}, {"start": 1, "end": 7}]


def test_by_mouse_with_buttons_and_a_tablet(site, open_item):
    page, reader = open_item("grc", viewport={"width": 768, "height": 1024})
    draw(page, word(page, "θεὰ"), word(page, "Ἀχιλῆος"))
    expect(spoken(page)).to_have_text("3 words: θεὰ, Πηληϊάδεω Ἀχιλῆος")
    expect(page.locator("mark")).to_have_text("θεὰ, Πηληϊάδεω Ἀχιλῆος")
    # Esc gives up what is being drawn, and nothing else.
    draw(page, word(page, "Μῆνιν"), word(page, "οὐλομένην"), release=False)
    expect(spoken(page)).to_have_text("6 words: Μῆνιν ἄειδε … οὐλομένην")
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(spoken(page)).to_have_text("3 words: θεὰ, Πηληϊάδεω Ἀχιλῆος")
    # A handle is drawn to another word; one that is not moved lets the click through to the word below it.
    draw(page, handle(page, "start"), word(page, "ἄειδε"))
    expect(spoken(page)).to_have_text("4 words: ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος")
    assert handle(page, "start").bounding_box()["width"] == 28
    page.get_by_role("button", name="end one word later").click()
    page.get_by_role("button", name="start one word earlier").click()
    expect(spoken(page)).to_have_text("6 words: Μῆνιν ἄειδε … οὐλομένην")
    page.get_by_role("button", name="start one word later").click()
    undo, redo = page.locator("[data-undo]"), page.locator("[data-redo]")
    for _ in range(4):
        undo.click()
    expect(spoken(page)).to_contain_text("Nothing marked")
    expect(undo).to_have_attribute("aria-disabled", "true")
    press(page, "Control+z")
    for _ in range(4):
        redo.click()
    expect(spoken(page)).to_have_text("5 words: ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος, οὐλομένην")
    # A field keeps its own undo.
    press(page, "n")
    page.keyboard.type("aliter")
    press(page, "Control+z")
    expect(spoken(page)).to_have_text("5 words: ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος, οὐλομένην")
    expect(page.locator("textarea[name=note]")).not_to_have_value("aliter")
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"start": 1, "end": 9}]


def test_in_hebrew_left_is_forward_for_keys_sliders_and_the_mouse(open_item):
    page, _ = open_item("he")
    assert page.locator("[data-passage]").evaluate("one => getComputedStyle(one).direction") == "rtl"
    press(page, "ArrowRight", "ArrowRight")
    expect(spoken(page)).to_have_text("3 words: אֱלֹהִים, וְאֵת הָאָרֶץ")
    press(page, "ArrowLeft", "Shift+ArrowLeft")
    expect(spoken(page)).to_have_text("3 words: וְאֵת הָאָרֶץ׃ וְהָאָרֶץ")
    tab_to(page, slider(page, "Ends"))
    press(page, "ArrowLeft")
    expect(spoken(page)).to_have_text("4 words: וְאֵת הָאָרֶץ׃ וְהָאָרֶץ הָיְתָה")
    expect(slider(page, "Ends")).to_have_attribute("aria-valuetext", "הָיְתָה, word 7 of 8")
    assert handle(page, "end").bounding_box()["x"] < handle(page, "start").bounding_box()["x"]
    earlier, later = (page.get_by_role("button", name=f"end one word {way}") for way in ("earlier", "later"))
    assert earlier.bounding_box()["x"] > later.bounding_box()["x"]
    draw(page, handle(page, "end"), word(page, "וְהָאָרֶץ"))
    expect(spoken(page)).to_have_text("3 words: וְאֵת הָאָרֶץ׃ וְהָאָרֶץ")


@pytest.mark.parametrize("anchor", [None, [12, 12], [13, 14]])
def test_no_sequence_of_acts_breaks_a_rule(visit, anchor):
    page = visit()
    page.goto("/login/")
    for most in (1, 3):
        assert page.evaluate(RULES, {"anchor": anchor, "most": most}) == [[], True]


def test_in_a_long_passage_a_far_tap_asks_and_a_slider_is_a_window(open_item, tell):
    page, _ = open_item("long", has_touch=True, viewport={"width": 390, "height": 844})
    tokens = page.locator("[data-token]")
    assert page.locator("[data-word]").count() == 1246
    touch(page, tokens.nth(2), tokens.nth(4))
    heard = "3 words: of the lamp"
    expect(spoken(page)).to_have_text(heard)
    tokens.nth(400).tap()
    far = page.locator("[data-far]")
    expect(far).to_contain_text("words away from your mark")
    expect(spoken(page)).to_have_text(heard)
    assert axe.violations(page) == []
    page.keyboard.press("Escape")
    expect(far).to_be_hidden()
    expect(spoken(page)).to_have_text(heard)
    tokens.nth(400).tap()
    far.get_by_role("button", name="Begin a new mark here").tap()
    expect(spoken(page)).to_contain_text("1 word:")
    expect(page.locator("mark")).to_be_in_viewport()
    for name in ("Starts", "Ends"):
        assert slider(page, name).evaluate(A_WORD) >= 8
    # The window goes with its border; held at its end it goes on by clauses.
    ends = slider(page, "Ends")
    ends.focus()
    before, box = int(ends.get_attribute("max")), ends.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(ends).not_to_have_attribute("max", str(before))
    page.mouse.up()
    assert int(ends.get_attribute("max")) > int(ends.input_value()), "the border has room again"
    # At the edge of what one sees the page rolls on under a finger that marks.
    tokens.nth(430).scroll_into_view_if_needed()
    height = page.evaluate("scrollY")
    foot = page.locator(".marked-bar").bounding_box()["y"]
    with touch(page, tokens.nth(430), (200, foot - 10), hold=True, release=False):
        page.wait_for_function("(before) => scrollY > before + 60", arg=height)
    expect(page.locator("mark")).to_be_in_viewport()
    words = spoken(page).inner_text()
    page.reload()
    expect(spoken(page)).to_have_text(words)
    took = page.evaluate(MOVES)
    tell(f"span task, one move of a drag over 1,246 words: median {took:.2f} ms")


@pytest.mark.parametrize("passage", ["la", "he"])
def test_axe_finds_nothing_in_any_state(open_item, passage):
    page, _ = open_item(passage, "en", reduced_motion="reduce")
    found = axe.audit(page, forced=True)
    page.get_by_role("button", name="Submit and go on").click()
    expect(page.locator(".errors")).to_be_focused()
    found += axe.violations(page)
    press(page, "Tab", "Enter")
    focused(page, "fieldset")
    page.locator("[data-token]").nth(1).click()
    found += axe.audit(page, forced=True)
    page.locator("summary", has_text="Can’t set the borders").click()
    page.locator("summary", has_text="Guidelines").click()
    found += axe.violations(page)
    page.locator("summary", has_text="Keys").click()
    found += axe.violations(page)
    page.keyboard.press("Escape")
    first = item(page)
    page.get_by_role("button", name="No allusion here").click()
    gone_on(page, first)
    found += axe.violations(page)
    page.goto(f"/work/{first}/")
    expect(spoken(page)).to_contain_text("No allusion here is your answer so far")
    found += axe.violations(page)
    assert found == []


def test_without_scripts_words_are_numbered(site, open_item):
    page, reader = open_item("la", java_script_enabled=False)
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(spoken(page)).to_be_hidden()
    number = word(page, "sed").evaluate("one => getComputedStyle(one, '::after').content")
    assert number == '"10"'
    submit(page)
    expect(page.locator(".errors")).to_contain_text("Mark the words")
    page.get_by_label("Number of the first word").fill("16")
    page.get_by_label("Number of the last word").fill("16")
    submit(page)
    expect(page.locator(".errors")).to_contain_text("must contain the anchor")
    page.get_by_label("Number of the first word").fill("10")
    page.get_by_label("Number of the last word").fill("15")
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"start": 9, "end": 15}]


def test_keys_can_be_switched_off_and_sliders_still_work(open_item):
    page, _ = open_item("la")
    page.locator("summary", has_text="Keys").click()
    page.locator("input[name=keys]").uncheck()
    page.keyboard.press("Escape")
    press(page, "s", "ArrowLeft", "a")
    expect(spoken(page)).to_contain_text("Nothing marked yet")
    slider(page, "Starts").focus()
    press(page, "ArrowLeft")
    expect(spoken(page)).to_have_text("2 words: omni scientiae")


def opened(page, name):
    """Open what this summary opens, with the mouse."""
    # From its beginning: the random name of a reader may hold the letters of “Aa”.
    summary = page.locator("summary", has_text=re.compile(rf"^\s*{name}"))
    summary.click()
    return summary


@pytest.mark.parametrize("name", ["Can’t set the borders", "Guidelines", "Aa"])
def test_escape_closes_what_is_open_and_never_touches_the_mark(site, open_item, name):
    page, reader = open_item("la")
    word(page, "sed").click()
    heard = spoken(page).inner_text()
    summary = opened(page, name).first
    focused(page, "summary")
    summary.press("Tab")
    press(page, "Escape")
    expect(page.locator("details[open]")).to_have_count(0)
    focused(page, "summary")
    press(page, "Escape")
    expect(spoken(page)).to_have_text(heard)
    assert page.evaluate(MARKS) == 1
    assert [each.get("first", "") for each in site.ask("drafts", study=reader["study"])] in ([], ["10"])


def test_escape_from_a_key_closes_one_thing_and_the_focus_goes_back(open_item):
    page, _ = open_item("la")
    word(page, "sed").click()
    heard = spoken(page).inner_text()
    opened(page, "Guidelines")
    press(page, "0")
    # No key moves a border beside what is open; another of its kind can be opened.
    press(page, "ArrowLeft", "Shift+ArrowRight", "s", "a", "x")
    assert focus(page)["tag"] == "BUTTON"
    assert press(page, "n")["tag"] == "TEXTAREA"
    page.keyboard.type("a s x")
    press(page, "Escape")
    assert focus(page)["text"] == "Note"
    expect(page.locator("details.act[open]")).to_have_count(0)
    expect(page.locator("details.guideline[open]")).to_have_count(1)
    press(page, "Escape")
    expect(page.locator("details.guideline[open]")).to_have_count(0)
    expect(spoken(page)).to_have_text(heard)
    expect(page.locator("textarea[name=note]")).to_have_value("a s x")


def test_R06_an_expired_login_keeps_what_was_marked(site, open_item):
    page, reader = open_item("la")
    word(page, "sed").click()
    expect(page.locator("[data-keeping]")).to_contain_text("Draft saved")
    # What comes next is asked for first: without a login that fails, and the browser complains of it.
    with page.expect_response("**/prefetch/"):
        page.reload()
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    site.ask("expire")
    submit(page)
    page.context.add_cookies([{**site.ask("session", user=reader["user"]), "url": site.url}])
    page.get_by_role("button", name="I am signed in again").click()
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"start": 9, "end": 15}]

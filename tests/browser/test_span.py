"""Marking a span by keys, pointer, touch and slider; whatever is done, it holds the anchor."""

from __future__ import annotations

import re
from functools import partial
from random import Random

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.marking import answers, begun, slider, spoken, submit, word
from tests.browser.reading import begin_by_keys, focus, focused, gone_on, item, press, saved, stored, tab_to

STATE = """
() => {
  const value = (name) => Number(document.querySelector(`[name=${name}]`).value);
  const marked = [...document.querySelectorAll("[data-passage] mark [data-token]")];
  const tokens = [...document.querySelectorAll("[data-passage] [data-token]")];
  return {
    first: value("first"), last: value("last"),
    marks: document.querySelectorAll("[data-passage] mark").length,
    marked: marked.map((one) => Number(one.dataset.token)),
    order: tokens.map((one) => Number(one.dataset.token)),
    text: document.querySelector("[data-passage]").textContent,
    start: Number(document.querySelector("[id^=start-]").value),
    end: Number(document.querySelector("[id^=end-]").value),
  };
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
    press(page, "ArrowLeft")
    expect(spoken(page)).to_have_text("7 words: pacis sed … scientiae")
    press(page, "Alt+Shift+ArrowRight")
    expect(spoken(page)).to_have_text("10 words: pacis sed … illa")
    press(page, "s")
    expect(spoken(page)).to_have_text("12 words: Osculum plane … illa")
    press(page, "a", "Alt+ArrowLeft")
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    press(page, "Shift+ArrowRight", "Shift+ArrowLeft")
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
    press(page, "ArrowRight", "ArrowRight")
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


def test_taps_before_and_after_the_anchor(site, open_item):
    page, reader = open_item("la", "grc", has_touch=True, viewport={"width": 390, "height": 800})
    expect(page.get_by_label("Number of the first word")).to_be_hidden()
    word(page, "sed").tap()
    expect(spoken(page)).to_have_text("6 words: sed dilectio … scientiae")
    word(page, "Dixi").tap()
    word(page, "pax").tap()
    expect(spoken(page)).to_have_text("8 words: sed dilectio … pax")
    word(page, "scientiae").tap()
    expect(spoken(page)).to_have_text("1 word: scientiae")
    word(page, "omni").tap()
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
    assert answers(site, reader) == [{"start": 13, "end": 15}, {"start": 1, "end": 7}]


def test_in_hebrew_left_is_forward_for_keys_and_sliders(open_item):
    page, _ = open_item("he")
    assert page.locator("[data-passage]").evaluate("one => getComputedStyle(one).direction") == "rtl"
    press(page, "ArrowRight", "ArrowRight")
    expect(spoken(page)).to_have_text("3 words: אֱלֹהִים, וְאֵת הָאָרֶץ")
    press(page, "ArrowLeft", "Shift+ArrowLeft")
    expect(spoken(page)).to_have_text("3 words: וְאֵת הָאָרֶץ׃ וְהָאָרֶץ")
    tab_to(page, slider(page, "Ends"))
    press(page, "ArrowLeft")
    expect(spoken(page)).to_have_text("4 words: וְאֵת הָאָרֶץ׃ וְהָאָרֶץ הָיְתָה")
    expect(slider(page, "Ends")).to_have_attribute("aria-valuetext", "הָיְתָה")
    before = page.locator("mark").bounding_box()["x"]
    press(page, "ArrowRight")
    assert page.locator("mark").bounding_box()["x"] > before, "less is marked at the left"


def random_act(page, random, tokens):
    keys = [
        "ArrowLeft",
        "ArrowRight",
        "s",
        "a",
        "Escape",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "ArrowUp",
        "ArrowDown",
    ]
    act = random.choice(["key", "key", "key", "tap", "focus", "slide"])
    if act == "key":
        extra = random.choice(["", "Shift+", "Alt+", "Alt+Shift+"])
        key = random.choice(keys)
        page.keyboard.press(extra + key if "Arrow" in key else key)
    elif act == "tap":
        page.locator("[data-token]").nth(random.randrange(tokens)).dispatch_event("click")
    elif act == "focus":
        page.locator(random.choice(["[id^=start-]", "[id^=end-]", "main h1"])).focus()
    else:
        side, value = random.choice(["start", "end"]), random.randrange(-5, tokens + 5)
        page.locator(f"[id^={side}-]").evaluate(
            "(one, value) => { one.value = value; one.dispatchEvent(new Event('input', {bubbles: true})); }",
            value,
        )


@pytest.mark.parametrize(("passage", "anchor"), [("la", 15), ("he", 6), ("grc", None)])
def test_no_sequence_of_inputs_breaks_the_rule(site, open_item, passage, anchor):
    page, reader = open_item(passage)
    before = page.evaluate(STATE)
    random = Random(passage)
    for _ in range(150):
        random_act(page, random, len(before["order"]))
        now = page.evaluate(STATE)
        assert (now["text"], now["order"]) == (before["text"], before["order"]), "the text is only looked at"
        if not now["first"]:
            assert (now["last"], now["marks"]) == (0, 0)
            continue
        assert 1 <= now["first"] <= now["last"] <= len(before["order"])
        assert anchor is None or now["first"] <= anchor <= now["last"]
        assert now["marks"] == 1
        assert now["marked"] == list(range(now["first"], now["last"] + 1)), "one piece, as it is kept"
        assert (now["start"] + 1, now["end"] + 1) == (now["first"], now["last"]), "the sliders say the same"
    word(page, "scientiae|הָאָרֶץ|θεὰ").first.click()
    now = page.evaluate(STATE)
    submit(page)
    page.wait_for_url("**/done/")
    assert answers(site, reader) == [{"start": now["first"] - 1, "end": now["last"]}]


@pytest.mark.parametrize("passage", ["la", "grc", "he"])
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


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize(
    "name", ["Can’t set the borders", "Something is wrong", "Note", "Guidelines", "Keys", "Aa"]
)
def test_escape_closes_what_is_open_and_never_touches_the_mark(site, open_item, name, marked):
    page, reader = open_item("la")
    if marked:
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
    assert page.evaluate(STATE)["marks"] == int(marked)
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


def test_four_hundred_tokens_stay_fluent(open_item, tell):
    page, _ = open_item("en")
    assert page.locator("[data-token]").count() > 400
    median, moved = page.evaluate("""
      () => {
        const [range] = document.querySelectorAll("input[type=range]");
        const seen = new MutationObserver(() => {});
        seen.observe(document.querySelector("[data-passage]"), {childList: true, subtree: true});
        const took = [], moved = [];
        for (let at = Number(range.max); at >= 0; at -= 1) {
          const began = performance.now();
          range.value = at;
          range.dispatchEvent(new Event("input", {bubbles: true}));
          document.body.offsetHeight;
          took.push(performance.now() - began);
          moved.push(seen.takeRecords().length);
        }
        const sorted = took.sort((one, other) => one - other);
        return [sorted[Math.floor(sorted.length / 2)], Math.max(...moved)];
      }""")
    anchor = page.locator("[data-passage] .anchor").get_attribute("data-token")
    expect(page.locator("mark [data-token]")).to_have_count(int(anchor))
    tell(f"span task, {anchor} tokens marked, one step of a slider with layout: median {median:.1f} ms")
    assert moved <= 8, "a step moves the words that it passes, and not the whole passage"

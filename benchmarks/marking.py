"""What an answer costs a reader: presses of keys, clicks and draws, counted in a real browser.

    python -m benchmarks.marking [--seed 1]

The 21 gold spans of the sample's sermon and 20 random ones around its anchors (0 to 15 words to each side)
are marked on the page, each from nothing marked: by word keys alone; by word and clause keys, of which
the reader always takes the one that comes nearer; by one draw of the mouse; by taps. Each mark is compared
with the span that was meant. Choices are answered by key and by mouse. Every row counts the submit, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks import served

SPANS, CHOICES = "sermon-marked", "choices-marked"
N_CHOICES, N_RANDOM, FARTHEST = 10, 20, 15
# The presses of a reader who takes the nearer of the allowed keys, found with the page's own functions.
PLAN = """
async ([wanted, clauses]) => {
  const marks = await import("/static/annotation/marking/marks.js");
  const {dataset} = document.querySelector("[data-span]");
  const list = (name) => dataset[name].split(" ").filter(Boolean).map(Number);
  const tokens = [...document.querySelectorAll("[data-token]")];
  const [first, beyond] = list("anchor"), anchor = [first, beyond - 1];
  const words = tokens.map((one) => "word" in one.dataset);
  const text = {n: tokens.length, words, anchor, held: anchor, most: 1};
  text.clauses = marks.units(text, list("clauses"));
  let state = {spans: [], at: null, from: 0};
  const pressed = [];
  for (const [n, key] of ["", "Shift+"].entries()) {
    for (;;) {
      const now = (state.spans[0] ?? anchor)[n];
      if (now === wanted[n]) break;
      const ofEnd = n === 1, forward = now < wanted[n], arrow = forward ? "ArrowRight" : "ArrowLeft";
      const ways = [["", marks.byWord(text, state, ofEnd, forward)]];
      if (clauses) ways.unshift(["Control+", marks.byUnit(text, state, ofEnd, forward, text.clauses)]);
      const away = ([, to]) => Math.abs(to.spans[0][n] - wanted[n]);
      const [control, to] = ways.reduce((best, one) => (away(one) < away(best) ? one : best));
      pressed.push(control + key + arrow);
      state = to;
    }
  }
  if (!pressed.length) pressed.push("a");
  return pressed;
}
"""
COUNTER = """
window.acts = {keys: 0, clicks: 0};
const key = ({key, repeat}) => { if (!repeat && !/^(Control|Shift|Alt)$/.test(key)) window.acts.keys += 1; };
addEventListener("keydown", key, true);
addEventListener("pointerdown", () => { window.acts.clicks += 1; }, true);
"""
WORDS = "() => [...document.querySelectorAll('[data-token]')].map((one) => 'word' in one.dataset)"
FIELDS = "() => ['first', 'last'].map((name) => Number(document.querySelector(`[name=${name}]`).value) - 1)"


def build() -> tuple[dict[str, list[int]], str]:
    """Both studies, open, with one reader; the gold span of each item, last token included, and the link."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.items.files import entries
    from annotation.models import Role, Study
    from annotation.people import enrolments
    from annotation.studies.build import load_items
    from annotation.studies.lifecycle import open_study
    from annotation.tasktypes import registry
    from variorum.demo.sermon import ITEMS

    lines = [json.loads(line) for line in ITEMS.read_text(encoding="utf8").splitlines()]
    marked = [line for line in lines if "start" in line["gold"]]
    (link, *_), _ = served.open_study(CHOICES, items=N_CHOICES + 1, readers=1, overlap=1)
    data = "\n".join(map(json.dumps, marked)).encode()
    load_items(SPANS, "span", entries(registry.get("span"), data, "sermon"), source="sermon", overlap=1)
    study = Study.objects.get(slug=SPANS)
    enrolments.enrol(study, User.objects.get(username=f"{CHOICES}-0"), Role.ANNOTATOR)
    open_study(study, by=None, now=timezone.now())
    # Some passages stand there twice, around two anchors.
    gold = {
        key(line["text"], line["anchor"]): [line["gold"]["start"], line["gold"]["end"] - 1] for line in marked
    }
    return gold, link


def key(text: str, anchor: Sequence[int]) -> str:
    return f"{' '.join(map(str, anchor))} {' '.join(text.split())}"


def shown(page: Page) -> str:
    """The item that is shown, as `key` names it."""
    anchor = str(page.locator("[data-span]").get_attribute("data-anchor")).split()
    return key(page.locator("[data-passage]").inner_text(), [int(each) for each in anchor])


def counted(page: Page, act: Callable[[], Any]) -> int:
    """How many keys and clicks an act takes, as the page has seen them."""
    page.evaluate("() => { window.acts.keys = window.acts.clicks = 0; }")
    act()
    return int(page.evaluate("() => window.acts.keys + window.acts.clicks"))


def place(page: Page, token: int) -> tuple[float, float]:
    """The middle of a word, in sight."""
    word = page.locator(f"[data-token='{token + 1}']")
    word.scroll_into_view_if_needed()
    box = word.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drawn(page: Page, first: int, last: int) -> None:
    """Draw from one word to another with the mouse."""
    page.mouse.move(*place(page, first))
    page.mouse.down()
    page.mouse.move(*place(page, last), steps=5)
    page.mouse.up()


def tapped(page: Page, first: int, last: int) -> None:
    """Tap the first word and the last, so far as they are not there yet."""
    for n, token in enumerate((first, last)):
        if page.evaluate(FIELDS)[n] != token:
            page.mouse.click(*place(page, token))


def keyed(page: Page, keys: Sequence[str]) -> None:
    """Press keys, one after the other."""
    for each in keys:
        page.keyboard.press(each)


def marked(page: Page, span: list[int]) -> dict[str, int]:
    """What one span takes in each way, the submit included; raises where another one is marked."""
    took = {}
    ways: dict[str, Callable[[], Any]] = {
        "words": lambda: keyed(page, page.evaluate(PLAN, [span, False])),
        "words and clauses": lambda: keyed(page, page.evaluate(PLAN, [span, True])),
        "draw": lambda: drawn(page, *span),
        "taps": lambda: tapped(page, *span),
    }
    for name, way in ways.items():
        page.keyboard.press("Delete")
        took[name] = counted(page, way) + 1
        if page.evaluate(FIELDS) != span:
            raise SystemExit(f"By {name}: {page.evaluate(FIELDS)} is marked, not {span}.")
    return took


def at_random(page: Page, random: Random) -> list[int]:
    """A span that reaches 0 to 15 words to each side of the anchor."""
    anchor = [int(each) for each in str(page.locator("[data-span]").get_attribute("data-anchor")).split()]
    words = [n for n, is_word in enumerate(page.evaluate(WORDS)) if is_word]
    at, to = words.index(anchor[0]), words.index(anchor[1] - 1)
    first, last = (random.randint(0, FARTHEST) for _ in range(2))
    return [words[max(0, at - first)], words[min(len(words) - 1, to + last)]]


def opened(page: Page, slug: str) -> None:
    page.goto(f"/studies/{slug}/begin/")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/work/*/")
    page.wait_for_load_state("load")


def go_on(page: Page, press: Callable[[], Any]) -> None:
    """Submit, and wait for another item or the end."""
    before = page.locator("[data-item]").get_attribute("data-item")
    press()
    page.wait_for_function(
        "(before) => document.querySelector('[data-item]')?.dataset.item !== before", arg=before
    )


def clicked(page: Page) -> None:
    """Choose the second option and submit, with the mouse."""
    page.locator(".candidate").nth(1).click()
    page.locator("[data-submit]").click()


def choices(page: Page) -> dict[str, list[int]]:
    """Presses for each of some choices, half by key and half by mouse."""
    opened(page, CHOICES)
    took: dict[str, list[int]] = {"keys": [], "mouse": []}
    for _ in range(N_CHOICES // 2):
        took["keys"].append(counted(page, lambda: go_on(page, lambda: keyed(page, ["2", "Enter"]))))
        took["mouse"].append(counted(page, lambda: go_on(page, lambda: clicked(page))))
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    random = Random(parser.parse_args().seed)
    gold: list[dict[str, int]] = []
    others: list[dict[str, int]] = []
    with served.folder() as folder:
        served.prepare(folder)
        spans, link = build()
        with served.served() as (port, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page(
                base_url=f"http://127.0.0.1:{port}", viewport={"width": 1280, "height": 900}
            )
            page.add_init_script(COUNTER)
            page.goto(link)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("/")
            opened(page, SPANS)
            for n in range(len(spans)):
                span = spans[shown(page)]
                if n < N_RANDOM:
                    others.append(marked(page, at_random(page, random)))
                gold.append(marked(page, span))
                go_on(page, lambda: page.keyboard.press("Enter"))
            chosen = choices(page)
            browser.close()
    for name, rows in ((f"{len(gold)} gold spans", gold), (f"{len(others)} random spans", others)):
        for way in rows[0]:
            numbers = [row[way] for row in rows]
            print(f"{name}, {way}: {statistics.mean(numbers):.1f} ({min(numbers)}-{max(numbers)})")
    for way, numbers in chosen.items():
        print(f"{len(numbers)} choices, {way}: {statistics.mean(numbers):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Nothing moves from item to item: one grid, one size of type, and lines that can be read."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.reading import begun_by, gone_on, item, press

ITEMS = 15
MOST_SHIFT = 0.005
WATCH = """
() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
  }).observe({type: "layout-shift", buffered: true});
}
"""
LOOK = """
() => {
  const x = (selector) => document.querySelector(selector).getBoundingClientRect().x;
  const texts = [...document.querySelectorAll(".prose, .candidate-text")];
  const sizes = new Set(texts.map((one) => getComputedStyle(one).fontSize));
  const {y} = document.querySelector(".left").getBoundingClientRect();
  return {left: x(".left"), right: x(".right"), y, sizes: [...sizes]};
}
"""
LINES = """
() => {
  const range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector(".prose p"), NodeFilter.SHOW_TEXT);
  const lines = new Map();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let n = 0; n < node.length; n += 1) {
      range.setStart(node, n);
      range.setEnd(node, n + 1);
      const top = Math.round(range.getBoundingClientRect().top);
      lines.set(top, (lines.get(top) ?? 0) + 1);
    }
  }
  return [...lines.values()];
}
"""


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_nothing_moves_from_item_to_item(visit, site, tell, width):
    reader = site.ask("varied_reader", items=ITEMS)
    page = begun_by(partial(visit, viewport={"width": width, "height": 900}), reader)
    expect(page.locator(".spread")).to_have_attribute("data-grid", "even")
    page.evaluate(WATCH)
    seen, lines = [], []
    for _ in range(ITEMS - 1):
        here = item(page)
        seen.append(page.evaluate(LOOK))
        lines += page.evaluate(LINES)[:-1]
        press(page, "1")
        page.keyboard.press("Enter")
        gone_on(page, here)
    assert all(each == seen[0] for each in seen)
    assert len(seen[0]["sizes"]) == 1
    shifted = page.evaluate("window.shifted")
    tell(f"{width} px: layout shift over {ITEMS} items {shifted:.4f}")
    assert shifted <= MOST_SHIFT
    if width == 1280:
        long = [each for each in lines if each > 30]
        mean = sum(long) / len(long)
        tell(f"A line of the criticism: {min(long)} to {max(long)} characters, mean {mean:.1f}")
        assert 57 <= mean <= 70

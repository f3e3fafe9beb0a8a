"""axe-core on a page: the rules of WCAG 2.0 to 2.2, A and AA, its best practices; and what overflows."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours: schemes and forced colours change nothing that others look at, which
`test_forced_colours` holds."""
WIDTHS = (1280, 320)
# The page stands still while axe looks: transitions are ended, not waited for (one out of sight, or on a page
# whose clock a test holds, may never end), and what a poll brings is not shown.
RUN = """
async ([type, values]) => {
  const still = ({detail}) => { if (detail.requestConfig?.verb === "get") detail.shouldSwap = false; };
  document.addEventListener("htmx:beforeSwap", still);
  for (const each of document.getAnimations()) {
    if (each.effect?.getComputedTiming().endTime < Infinity) each.finish();
  }
  const look = {runOnly: {type, values}, resultTypes: ["violations"]};
  const found = await axe.run(document, look).finally(
    () => document.removeEventListener("htmx:beforeSwap", still));
  return found.violations.flatMap((each) => each.nodes.map((node) =>
    `${each.id} (${each.impact}) at ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`));
}
"""
OVERFLOW = """
() => {
  const {scrollWidth, clientWidth} = document.documentElement;
  const cut = [...document.querySelectorAll("caption")].filter((each) =>
    each.getBoundingClientRect().right > clientWidth + 1);
  if (cut.length) return [`a caption is cut off: ${cut[0].textContent}`];
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll("body *")].filter((each) =>
    each.getBoundingClientRect().right > clientWidth + 1
    && !each.closest(".table-wrap, pre, .visually-hidden"));
  const names = wide.slice(0, 3).map((each) => `${each.tagName.toLowerCase()}.${each.className}`);
  return [`${scrollWidth} px wide in a window of ${clientWidth}: ${names.join(", ")}`];
}
"""
# Opens every <details> of the page's own; says whether there was one.
OPEN = """
() => {
  const closed = document.querySelectorAll("main details:not([open])");
  closed.forEach((one) => { one.open = true; });
  return closed.length > 0;
}
"""


@cache
def source() -> str:
    file = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
    assert file.exists(), "axe-core is not there: tests/browser/install.sh fetches it."
    return file.read_text(encoding="utf8")


def violations(page: Page, colours: bool = False) -> list[str]:
    """What axe finds on the page as it is now, one line for each element; by rules of colours alone, too."""
    page.wait_for_load_state("load")
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(source())
    return page.evaluate(RUN, ["rule", COLOURS] if colours else ["tag", TAGS]) + page.evaluate(OVERFLOW)


def audit(page: Page, forced: bool = False) -> list[str]:
    """The same in light and dark, wide and narrow, and where asked for in forced colours."""
    before = page.viewport_size
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="light")
        found += [f"{width} px, light: {each}" for each in violations(page)]
        page.emulate_media(color_scheme="dark")
        found += [f"{width} px, dark: {each}" for each in violations(page, colours=True)]
    if forced:
        page.emulate_media(forced_colors="active")
        found += [f"forced colours: {each}" for each in violations(page, colours=True)]
    page.emulate_media(color_scheme="light", forced_colors="none")
    if before:
        page.set_viewport_size(before)
    return found

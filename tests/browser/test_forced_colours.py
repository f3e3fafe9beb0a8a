"""What forced colours must leave to be seen, and no audit of contrast finds: bars, the tab one is on."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from tests.browser.reading import stop_the_clock

STYLES = "\n".join(path.read_text("utf-8") for path in sorted(settings.BASE_DIR.glob("*/static/**/*.css")))
FORCED = re.compile(r"@media \(forced-colors: active\) (\{(?:[^{}]|\{[^{}]*\})*\})")
DECLARED = re.compile(r"[{;]\s*([\w-]+):")
LINES = {"outline", "outline-width", "border", "border-block-end", "padding-block-end"}
"""What forced colours change beside colours: lines, and the room of one."""
COLOURED = {"forced-color-adjust", "color", "background", "background-color", "fill", "stroke"}
BORDER = "tab => getComputedStyle(tab).borderBlockEndWidth"


def test_schemes_and_forced_colours_change_colours_and_lines_alone():
    """So that axe need ask no other rule of them than those of colours."""
    assert "prefers-color-scheme" not in STYLES
    lit = [line.strip() for line in STYLES.splitlines() if "light-dark(" in line]
    assert lit
    assert [line for line in lit if not line.startswith("--")] == []
    forced = FORCED.findall(STYLES)
    # Once it is `not`: the parts of a slider, which is as large with them as without.
    assert len(forced) == STYLES.count("forced-colors") - 1 > 1
    assert {name for rules in forced for name in DECLARED.findall(rules)} <= LINES | COLOURED


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_how_full_a_bar_is_and_which_tab_one_is_on(visit, world, scheme):
    page = visit("dora", forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    stop_the_clock(page)  # The page asks again by itself.
    page.goto("/watch/tide-simulated/")
    bar = page.get_by_role("progressbar", name="Readings given")
    full = bar.screenshot()
    bar.evaluate("bar => { bar.value = 0; }")
    assert bar.screenshot() != full

    for tabs in page.locator(".shelf").all():
        here = tabs.locator("a[aria-current]").evaluate(BORDER)
        assert here not in {tab.evaluate(BORDER) for tab in tabs.locator("a:not([aria-current])").all()}

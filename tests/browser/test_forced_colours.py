"""What forced colours must leave to be seen, and no audit of contrast finds: bars, the tab one is on."""

from __future__ import annotations

import pytest

from tests.browser.reading import stop_the_clock

BORDER = "tab => getComputedStyle(tab).borderBlockEndWidth"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_how_full_a_bar_is_and_which_tab_one_is_on(visit, world, scheme):
    page = visit("dora", forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    stop_the_clock(page)  # The page asks again by itself.
    page.goto("/watch/tide-simulated/")
    bar = page.get_by_role("progressbar", name="Readings given")
    full = bar.screenshot()
    bar.evaluate("bar => { bar.value = 0; }")
    assert bar.screenshot() != full

    here = page.locator(".shelf a[aria-current]").evaluate(BORDER)
    others = {tab.evaluate(BORDER) for tab in page.locator(".shelf a:not([aria-current])").all()}
    assert here not in others

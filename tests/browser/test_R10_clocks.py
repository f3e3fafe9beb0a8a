"""R10: the clock of a reader's machine is hours off: items are taken along and read all the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.reading import begin, stored
from tests.browser.test_offline import answer, go_offline, page, reader, take_along

__all__ = ["page", "reader"]


# More than a lease lasts: what is taken along is kept until the end of the day, and two hours at least.
@pytest.mark.parametrize("hours", [26, -26])
def test_R10_items_are_taken_along_whatever_time_it_is_there(page, site, reader, hours):
    """Its clock stands there, and its timers go on: whoever reads is read by none of it."""
    page.clock.set_fixed_time(datetime.now(UTC) + timedelta(hours=hours))
    page.reload()
    take_along(page)
    begin(page)
    go_offline(page)
    answered = [answer(page) for _ in range(3)]
    page.context.set_offline(False)
    page.wait_for_function("() => !Object.keys(localStorage).some((name) => name.includes('.kept.'))")
    expect(page.locator("#where")).to_contain_text("item 4 of 7")
    assert len(set(answered)) == 3
    said = stored(site, reader)
    assert [each["outcome"] for each in said] == ["answer"] * 3
    assert all(0 <= each["active_seconds"] < 600 for each in said)

"""S03: texts that would run stand wherever somebody's words do, and every page of every role is opened."""

from __future__ import annotations

import pytest

from tests.browser import chromium
from tests.browser.poison import MARK, PAYLOADS
from tests.browser.site import started
from tests.browser.test_audit import VISITS, go

pytestmark = pytest.mark.long
SEEN = f"""() => ({{
    ran: document.documentElement.dataset.ran ?? "",
    made: document.querySelectorAll("[{MARK}]").length,
    summed: document.body.innerText.includes(" 14 }}}}") || / 14($| )/.test(document.title),
}})"""


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory):
    with started(tmp_path_factory.mktemp("poisoned")) as site:
        yield site, site.ask("scenery")


def test_nothing_of_a_text_is_run_or_becomes_a_part_of_a_page(browser, poisoned):
    assert len(PAYLOADS) >= 60
    site, world = poisoned
    browsers, faults, shown = {}, [], 0
    for who in {seen.who for _, seen in VISITS}:
        # They come in by their names, which are changed with all else.
        page, watch = chromium.opened(browser, site, who)
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        browsers[who] = page, watch
    assert site.ask("poison") > 2000
    for name, seen in VISITS:
        page, watch = browsers[seen.who]
        watch.complaints.clear()
        reply = go(page, world, name, seen.args, seen.query)
        said = page.evaluate(SEEN)
        shown += MARK in page.content()
        if reply.status >= 500:
            faults.append(f"{name} {seen}: {reply.status}")
        if said["ran"] or said["made"] or watch.complaints:
            faults.append(f"{name} {seen}: {said} {watch.complaints[:2]}")
    for page, _ in browsers.values():
        page.context.close()
    assert faults == []
    # The texts were really there: they stand on most pages, as texts.
    assert shown > len(VISITS) / 3

"""docs/pages.md shows every page that the audit knows, each in a picture that is there."""

from tests.browser.gallery import FOLDER, SECTIONS, TOUR, tour
from tests.browser.test_audit import PAGES

SHOWN = [each for pages in SECTIONS.values() for each in pages]


def test_every_page_is_shown_once():
    assert sorted(each.name for each in SHOWN) == sorted(PAGES), "Add the new page to SECTIONS."


def test_the_tour_is_the_one_that_is_written_here():
    assert TOUR.read_text(encoding="utf-8") == tour(), "Run make screenshots again."


def test_there_is_a_picture_for_each_and_none_besides():
    assert {path.name for path in FOLDER.iterdir()} == {each.file for each in SHOWN}

"""The collection's numbers, counted by hand on two books and three critics."""

import csv
import io
import json
import re
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from retrieval.curating.excerpts import Borders, move, reject
from retrieval.texts.collection import LENGTHS, POSITIONS, collection
from retrieval.texts.collection_bars import columns
from retrieval.texts.collection_formats import lengths, positions, totals
from tests import builders

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def library(db):
    """*Boats* (24 sentences) quoted at 3, 3-4, 4-5 and 20 by three critics; *Lamps* (5) at 0-4 by one."""
    boats = builders.book()
    lamps = builders.book("lamps", [f"Lamp {number} went out." for number in range(5)], title="The Lamps")
    one, two, three = (builders.source(f"c{n}", f"Critic {n}") for n in (1, 2, 3))
    for source, first, size in ((one, 3, 1), (two, 3, 2), (two, 4, 2), (three, 20, 1)):
        builders.excerpt(boats, source, first=first, size=size)
    builders.excerpt(lamps, one, first=0, size=5)
    builders.source("silent", "Silent 1900")
    return boats, lamps


def words(book, first, size):
    return len(book.passage(first, size).split())


def test_totals(library):
    boats, lamps = library
    found = collection()
    assert (found.books, found.sources, found.quoting, found.excerpts) == (2, 4, 3, 5)
    assert (found.unplaced, found.rejected, found.superseded) == (0, 0, 0)
    # Each side has two sentences, and the number of the sentence is one word.
    left = "The critic prepares us for sentence 3. He speaks of boats and of lamps."
    right = "The morning, he adds, is never the same. So the fleet stands for the town."
    assert found.context_words == len(left.split()) + len(right.split()) == 29
    spans = [(boats, 3, 1), (boats, 3, 2), (boats, 4, 2), (boats, 20, 1), (lamps, 0, 5)]
    assert found.quotation_words == pytest.approx(sum(words(*span) for span in spans) / 5)
    assert (found.per_book, found.per_source) == (2.5, pytest.approx(5 / 3))
    assert found.sources_per_book == 2
    assert found.quoted == pytest.approx((4 / 24 + 5 / 5) / 2)


def test_lengths_and_positions(library):
    found = collection()
    assert found.lengths == (2, 2, 0, 0, 1)
    # Middles: 3.5, 4 and 5 of 24, 20.5 of 24, 2.5 of 5.
    assert found.positions == (0, 2, 1, 0, 0, 1, 0, 0, 1, 0)
    assert sum(found.lengths) == sum(found.positions) == found.excerpts
    assert lengths(found)[-1] == ("5 or more", 1)
    assert positions(found)[1] == ("10–20 %", 2)


def test_each_book(library):
    lamps, boats = sorted(collection().rows, key=lambda row: row.sentences)
    assert (boats.slug, boats.excerpts, boats.sources) == ("boats", 4, 3)
    assert boats.passages == (24, 23, 22, 21, 20)
    assert lamps.passages == (5, 4, 3, 2, 1)
    assert (lamps.quoted, lamps.quotation_words) == (1.0, 20)


def test_places_that_several_quote(library):
    found = collection()
    [place] = found.shared
    assert (place.slug, place.first, place.size, place.sources, place.excerpts) == ("boats", 3, 3, 2, 3)
    assert (found.n_places, found.n_shared) == (3, 1)


def test_neighbours_are_two_places(db):
    book = builders.book()
    for number, first in enumerate((3, 4, 6)):
        builders.excerpt(book, builders.source(f"c{number}"), first=first, size=1 + (first == 4))
    assert (collection().n_places, collection().n_shared) == (3, 0)


def test_what_is_not_in_use_does_not_count(library):
    boats, _ = library
    last, first = boats.excerpts.get(first=20), boats.excerpts.get(first=3, size=1)
    reject(last, reason="no", by=None, now=NOW)
    move(first, Borders(10, 1, 2, 2), reason="there", by=None, now=NOW)
    boats.excerpts.filter(first=4).update(first=None, size=None)
    found = collection()
    assert (found.excerpts, found.rejected, found.superseded, found.unplaced) == (3, 1, 1, 1)
    assert found.shared == []


def test_of_an_empty_library(db):
    found = collection()
    assert (found.books, found.excerpts, found.context_words, found.per_source, found.quoted) == (
        0,
        0,
        None,
        None,
        None,
    )
    assert (found.lengths, found.positions) == ((0,) * LENGTHS, (0,) * POSITIONS)
    assert dict(totals(found))["Mean context, words"] == "—"


def test_duplicate_sentences_are_positions(db):
    book = builders.book("same", ["It was the same."] * 12)
    for number in (2, 9):
        builders.excerpt(book, builders.source(f"c{number}"), first=number)
    found = collection()
    assert (found.n_places, found.n_shared) == (2, 0)


def test_the_number_of_queries_does_not_grow_with_the_library(library, django_assert_num_queries):
    for number in range(5):
        more = builders.book(f"more-{number}")
        builders.excerpt(more, builders.source(f"m{number}"))
    with django_assert_num_queries(4):
        collection()


class TestCommand:
    def run(self, capsys, *options):
        call_command("collection", *options)
        return capsys.readouterr().out

    def test_table(self, library, capsys):
        out = self.run(capsys)
        assert "Mean context, words" in out
        assert "  5 or more  1" in out
        assert re.search(r"The Boats +24 sentences +4 excerpts +3 sources +16.67 % quoted +context 29.0", out)
        assert "sentence 4" in out

    def test_json_is_everything(self, library, capsys):
        read = json.loads(self.run(capsys, "--format=json"))
        assert read["excerpts"] == 5
        assert read["lengths"] == {"1": 2, "2": 2, "3": 0, "4": 0, "5 or more": 1}
        assert [row["slug"] for row in read["rows"]] == ["boats", "lamps"]
        assert read["shared"][0]["sources"] == 2

    def test_csv_is_a_row_a_book(self, library, capsys):
        rows = list(csv.DictReader(io.StringIO(self.run(capsys, "--format=csv"))))
        assert [(row["book"], row["excerpts"], row["passages_5"]) for row in rows] == [
            ("boats", "4", "20"),
            ("lamps", "1", "1"),
        ]
        assert float(rows[1]["quoted"]) == 1.0

    def test_markdown_has_every_table(self, library, capsys):
        out = self.run(capsys, "--format=markdown")
        assert "| Excerpts | 5 |" in out
        assert "### Quotations by length in sentences\n\n| Sentences | Quotations |" in out
        assert "| 5 or more | 1 |" in out
        assert "| The Lamps | 5 | 1 | 1 | 100.00 % | 29.0 | 20.0 |" in out
        assert "| The Boats | sentence 4 | 3 | 2 | 3 |" in out

    def test_latex_has_the_totals(self, library, capsys):
        assert "Mean share of a book's sentences quoted & 58.33\\,\\% \\\\" in self.run(
            capsys, "--format=latex"
        )

    def test_of_one_book(self, library, capsys):
        read = json.loads(self.run(capsys, "--format=json", "--book=lamps"))
        assert (read["books"], read["excerpts"], read["quoting"]) == (1, 1, 1)

    def test_no_such_book(self, library):
        with pytest.raises(CommandError, match="There is no book 'nets'"):
            call_command("collection", "--book=nets")


class TestPage:
    def test_shows_the_numbers_twice(self, as_user, dora, library):
        text = as_user(dora).get("/collection/").content.decode()
        assert '<desc id="lengths-desc">By sentences. 1: 2; 2: 2; 3: 0; 4: 0; 5 or more: 1.</desc>' in text
        assert '<th scope="row">10–20 %</th><td class="num">2</td><td class="num">40.0 %</td>' in text
        assert "1 of 3 places" in text
        assert '<a href="/books/boats/?at=3&amp;size=3#s3" aria-label="sentence 4 of The Boats">' in text
        assert '<cite><a href="/books/lamps/">The Lamps</a></cite></th><td class="num">5</td>' in text
        assert "style=" not in text

    def test_of_an_empty_library(self, as_user, stan):
        text = as_user(stan).get("/collection/").content.decode()
        assert "<svg" not in text.split("<main")[1]


class TestColumns:
    def test_the_highest_fills_the_room_and_all_stay_inside(self):
        found = columns("n", "T", "u", "abc", [("a", 4), ("b", 2), ("c", 0)])
        bars = [(float(bar.y), float(bar.height)) for bar in found.chart.bars]
        assert [height for _, height in bars] == [168, 84, 0]
        assert all(
            0 <= y <= y + height == found.chart.frame.bottom < found.chart.height for y, height in bars
        )
        assert sum(row.cells[2].value for row in found.table.rows) == pytest.approx(1)

    def test_nothing_counted_is_flat(self):
        assert [bar.height for bar in columns("n", "T", "u", "a", [("a", 0)]).chart.bars] == ["0.0"]
        assert columns("n", "T", "u", "", []).chart.bars == ()

"""Texts that are none, each is imported or refused in a sentence, and no page is swamped."""

import io
import time
import unicodedata

import pytest

from common.errors import BadInput
from common.texts import surface
from retrieval.engine.formats import reading
from retrieval.engine.text.sentences import segment
from retrieval.loading import import_book
from retrieval.models import Book
from retrieval.texts import typesetting

MUCH = 400_000
FACTS = {"slug": "b", "title": "The Book", "author": "A. A.", "year": "1900", "language": "en", "short": "on"}
UNITS = {
    "numerals on lines": "I.\n",
    "one line": "and so it went ",
    "marks": "“",
    "underscores": "_",
    "figures": "1",
    "chapters": "Chapter 1\n",
    "brackets": "( [ {",
    "notes": "[1] ",
    "pages": "{12}\n",
    "dashes": "--\n",
    "from right to left": "אבגד הוז. ",
    "stand in by turns": "A line that is flush with it\n      and one that stands in\n",
    "no width": "a\u200bb\u200d \u2060",
    "a mark of order within": "word \ufeffword. ",
    "one sentence": "It was a dark night and the rain fell hard on the roof. ",
    "headings": "CHAPTER I. (Lamp).--The ",
    "contents": "Contents\n\n",
}


def much(unit, length=MUCH):
    return (unit * (length // len(unit) + 1))[:length]


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_text_of_one_thing_is_read_in_seconds(unit):
    before = time.process_time()
    found = segment(reading.read(much(unit).encode(), "x.txt").text)
    # Ten times what the slowest takes.
    assert time.process_time() - before < 8
    assert found.sentences or found.headings or found.left_out


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\ufe20\u0316", "\u0316\u200b\u0301"])
def test_marks_without_end_on_one_letter_are_refused(marks):
    with pytest.raises(BadInput, match=r"^x\.txt: [\d,]+ marks stand on one letter, the first is U\+"):
        reading.read(("It rained. A" + marks * 100_000).encode(), "x.txt")


def test_words_in_any_script_are_read_whatever_stands_on_a_letter():
    before = time.process_time()
    assert surface.words("rain A" + "\u0301\u0316" * 200_000 + " fell") == ["rain", "á", "fell"]
    assert time.process_time() - before < 5
    thirty = "e" + "\u0301" * surface.MOST_MARKS
    assert reading.read(f"It rained. {thirty}".encode(), "x.txt").text.endswith(
        unicodedata.normalize("NFC", thirty)
    )


def test_more_paragraphs_than_any_book_has_are_refused():
    with pytest.raises(
        BadInput, match=r"x\.txt has 200,001 paragraphs of 2 characters on average; at most 200,000"
    ):
        reading.read(("a\n\n" * 200_001).encode(), "x.txt")


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["I.\n", "x"])
def test_the_preview_shows_the_beginning_of_a_sentence_without_end(unit, as_user, stan):
    file = io.BytesIO(much(unit, MUCH // 4).encode())
    file.name = "x.txt"
    reply = as_user(stan).post("/books/import/", {**FACTS, "file": file, "preview": "1"})
    assert reply.status_code == 200
    assert len(reply.content) < 50_000
    assert not Book.objects.exists()


@pytest.mark.django_db
def test_a_leaf_shows_so_many_headings_and_says_how_many_more_there_are(as_user, stan):
    made = import_book(
        ("It rained upon the town.\n\n" + "Chapter 1\n\n" * 5000 + "Nobody spoke.").encode(), name="x.txt",
        slug="b", title="The Book", author="A. A.", year=1900,
    ).book  # fmt: skip
    assert len(made.headings) == 5000
    (leaf,) = typesetting.leaves(made)
    assert typesetting.unshown(made, leaf) == 5000 - typesetting.MOST_ASIDE
    text = as_user(stan).get("/books/b/").text
    assert "3,000 more pieces that are set aside stand here" in text
    assert "It rained upon the town." in text
    assert "Nobody spoke." in text
    assert len(text) < 1_000_000


@pytest.mark.django_db
def test_contents_of_a_book_are_as_long_as_somebody_may_read(as_user, stan, monkeypatch):
    monkeypatch.setattr(typesetting, "MOST_CHAPTERS", 3)
    text = "\n\n".join(f"Chapter {number}\n\nIt rained on day {number}." for number in range(1, 8))
    import_book(text.encode(), name="x.txt", slug="b", title="The Book", author="A. A.", year=1900)
    page = as_user(stan).get("/books/b/").text
    assert "Contents: 7 headings" in page
    assert page.count("#s") >= 3
    assert "The first 3. " in page

"""A stored text on leaves: chapters, paragraphs, marks, italics."""

from types import SimpleNamespace

import pytest

from common.templatetags.prose import prose
from retrieval.engine.text import sentences as segmenting
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.reading import prepare
from retrieval.models import Book, Excerpt
from retrieval.texts import source_leaves, typesetting


def book_of(text):
    text = prepare(text).text
    found = segmenting.segment(text)
    return Book(
        text=text,
        sentences=found.sentences,
        headings=found.headings,
        left_out=found.left_out,
        n_sentences=len(found.sentences),
    )


def chapter(number, sentences):
    return f"CHAPTER {number}\n\nThe Name Of It\n\n" + " ".join(
        f"Line {n} is here." for n in range(sentences)
    )


def shown(paragraphs):
    return "".join(piece.gap + piece.text for each in paragraphs for run in each.runs for piece in run.pieces)


class TestLeaves:
    def test_a_leaf_begins_with_its_chapter_and_long_chapters_are_parted(self):
        book = book_of("\n\n\n".join(chapter(roman, n) for roman, n in [("I", 50), ("II", 900), ("III", 60)]))
        leaves = typesetting.leaves(book)
        assert leaves == [(0, 50), (50, 350), (350, 650), (650, 950), (950, 1010)]
        titles = typesetting.chapters(book, leaves)
        assert [(each.first, each.leaf) for each in titles] == [(0, 1), (50, 2), (950, 5)]
        assert titles[1].title.startswith("CHAPTER II")

    def test_short_chapters_share_a_leaf(self):
        book = book_of("\n\n\n".join(chapter(roman, 15) for roman in ("I", "II", "III", "IV")))
        assert typesetting.leaves(book) == [(0, 60)]

    @pytest.mark.parametrize("sentences", [1, 39, 300, 400, 401, 1000])
    def test_without_headings_they_hold_every_sentence_once(self, sentences):
        book = book_of(" ".join(f"Line {n} is here." for n in range(sentences)))
        leaves = typesetting.leaves(book)
        assert [n for leaf in leaves for n in range(*leaf)] == list(range(sentences))
        for number in range(sentences):
            leaf = leaves[typesetting.leaf_of(leaves, number) - 1]
            assert leaf.first <= number < leaf.stop

    def test_together_they_show_the_whole_text(self):
        book = book_of("\n\n\n".join(chapter(roman, 200) for roman in ("I", "II", "III")) + "\n\nTHE END\n")
        leaves = [typesetting.leaf_paragraphs(book, leaf) for leaf in typesetting.leaves(book)]
        assert "".join("".join(map(shown, leaves)).split()) == "".join(book.text.split())


class TestParagraphs:
    TEXT = "He came. He saw.\n\n“Just so,” said he. So it was.\n\nThe end came."

    def test_are_those_of_the_text(self):
        paragraphs = typesetting.paragraphs(book_of(self.TEXT), 0, len(self.TEXT))
        assert [shown([each]).strip() for each in paragraphs] == self.TEXT.split("\n\n")
        assert [each.first for each in paragraphs] == [0, 2, 4]

    def test_a_passage_across_two_is_marked_in_both(self):
        paragraphs = typesetting.paragraphs(book_of(self.TEXT), 0, len(self.TEXT), Passage(1, 2))
        marks = [piece.text for each in paragraphs for run in each.runs if run.marked for piece in run.pieces]
        assert marks == ["He saw.", "“Just so,” said he."]

    def test_surroundings_end_with_the_book(self):
        book = book_of(self.TEXT)
        assert shown(typesetting.surroundings(book, Passage(0, 1), 1)) == "He came. He saw."
        assert shown(typesetting.surroundings(book, Passage(4, 1), 1)) == "So it was.The end came."

    def test_a_text_without_paragraphs_is_broken_for_the_eye(self):
        book = book_of(" ".join(f"Line {n} is here." for n in range(100)))
        assert len(typesetting.paragraphs(book, 0, len(book.text))) == 5


class TestSourceLeaves:
    def test_end_where_a_paragraph_ends(self):
        text = "\n\n".join("word " * 500 for _ in range(20))
        leaves = source_leaves.leaves(text)
        assert "".join(text[a:b] for a, b in leaves) == text
        assert len(leaves) == 4
        assert all(text[:a].endswith("\n\n") for a, _ in leaves[1:])

    def test_an_empty_text_has_one(self):
        assert source_leaves.leaves("") == [(0, 0)]
        assert source_leaves.paragraphs("", (0, 0), []) == []

    def test_overlapping_quotations_belong_to_the_first(self):
        text = "One two three four."
        quoted = [
            Excerpt(pk=2, start=4, end=13),
            Excerpt(pk=1, start=0, end=7),
            Excerpt(pk=3, start=5, end=6),
        ]
        [paragraph] = source_leaves.paragraphs(text, (0, len(text)), quoted)
        marks = [(each.text, each.excerpt.pk) for each in paragraph if each.excerpt]
        assert marks == [("One two", 1), (" three", 2)]
        assert "".join(each.text for each in paragraph) == text

    def test_a_block_quotation_begins_once(self):
        text = "He says:\n\nFirst part.\n\nSecond part.\n\nSo much."
        quoted = [Excerpt(pk=1, start=10, end=35)]
        paragraphs = source_leaves.paragraphs(text, (0, len(text)), quoted)
        marks = [(each.text, each.begins) for paragraph in paragraphs for each in paragraph if each.excerpt]
        assert marks == [("First part.", True), ("Second part.", False)]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("the _merit_ of it", "the <em>merit</em> of it"),
        ("_All of it._", "<em>All of it.</em>"),
        ("snake_case_name", "snake_case_name"),
        ("an _ alone _ here", "an _ alone _ here"),
        ("<b> & _<i>_", "&lt;b&gt; &amp; <em>&lt;i&gt;</em>"),
        ("verse\nof two", "verse<br>of two"),
    ],
)
def test_prose(text, html):
    assert prose(text) == html


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (8.4, "8 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (7500, "2 h 5 min")],
)
def test_durations(seconds, words):
    from retrieval.jobs import status as pace

    assert pace.duration(seconds) == words


@pytest.mark.parametrize(
    ("done", "seconds", "words"),
    [
        (0, 5, "0 of 480 excerpts"),
        (120, 0.5, "120 of 480 excerpts"),
        (120, 3.43, "120 of 480 excerpts · 35 a second · about 10 s left"),
        (12, 8, "12 of 480 excerpts · 1.5 a second · about 5 min left"),
        (1, 60, "1 of 480 excerpts · 1 a minute · about 7 h 59 min left"),
    ],
)
def test_progress_in_words(done, seconds, words):
    from datetime import UTC, datetime, timedelta

    from retrieval.jobs import status as pace

    start = datetime(2024, 5, 3, 12, tzinfo=UTC)
    job = SimpleNamespace(
        status="running", done=done, total=480, started=start, heartbeat=start + timedelta(seconds=seconds)
    )
    assert pace.progress(job) == words

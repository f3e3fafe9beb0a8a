"""Passages are positions."""

import pytest

from common.errors import BadInput
from retrieval.engine.text.passages import Passage, count, slice_text, texts
from retrieval.engine.text.sentences import segment

TEXT = "One came. Two came.\n\nCHAPTER II\n\nOne came. Four  came."
SENTENCES = segment(TEXT).sentences


def test_a_passage_stops_behind_its_last_sentence():
    assert Passage(3, 2).stop == 5


@pytest.mark.parametrize(
    ("other", "expected"),
    [(Passage(1, 2), False), (Passage(2, 2), True), (Passage(4, 1), True), (Passage(5, 1), False)],
)
def test_overlap_is_a_sentence_in_common(other, expected):
    assert Passage(3, 2).overlaps(other) is expected
    assert other.overlaps(Passage(3, 2)) is expected


@pytest.mark.parametrize(("sentences", "size", "expected"), [(10, 1, 10), (10, 5, 6), (3, 5, 0), (0, 1, 0)])
def test_count(sentences, size, expected):
    assert count(sentences, size) == expected


def test_a_size_below_one_is_refused():
    with pytest.raises(BadInput, match="at least one sentence; 0"):
        count(10, 0)


def test_texts_are_the_slices_in_order():
    assert list(texts(TEXT, SENTENCES, 1)) == ["One came.", "Two came.", "One came.", "Four  came."]
    pairs = texts(TEXT, SENTENCES, 2)
    assert len(pairs) == 3
    assert pairs[0] == "One came. Two came."
    assert pairs[-1] == "One came. Four  came."
    assert pairs[1:] == ["Two came.\n\nOne came.", "One came. Four  came."]
    with pytest.raises(IndexError):
        pairs[3]


def test_a_passage_over_a_chapters_end_leaves_the_heading_out():
    passage = Passage(1, 2)
    assert slice_text(TEXT, SENTENCES, passage) == "Two came.\n\nOne came."


@pytest.mark.parametrize("passage", [Passage(-1, 1), Passage(4, 1), Passage(3, 2), Passage(0, 0)])
def test_a_passage_outside_the_book_is_refused(passage):
    with pytest.raises(BadInput, match="it has 4 sentences"):
        slice_text(TEXT, SENTENCES, passage)

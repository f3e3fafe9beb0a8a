"""What one sees of a passage without reading it."""

import sys
from unicodedata import category

import pytest

from common.texts.surface import ON_LETTERS, bare, ends_as_a_sentence, reads, shared, words
from retrieval.engine.ranking.surface import Surface, length, surface


def test_white_space_in_a_row_counts_once():
    assert (
        surface("  The tide\n   was  out. ").length
        == len("The tide was out.")
        == length("The tide was  out.")
    )


@pytest.mark.parametrize(
    ("text", "lower"),
    [
        ("The tide was out.", False),
        ("the tide was out.", True),
        ("“and so it was,” he said.", True),
        ("_and_ so it was.", True),
        ("1889 was a hard year.", True),
        ("1889.", False),
        ("Éowyn waited.", False),
        ("été comme hiver", True),
    ],
)
def test_the_first_letter_is_small_or_not(text, lower):
    assert surface(text).lower is lower


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("“Go,” he said.", True),
        ('"Go," he said.', True),
        ("‘Go,’ he said.", True),
        ("_“Go,”_ he said.", True),
        ("He said, “Go.”", False),
        ("(“Go,” he said.)", False),
        ("", False),
    ],
)
def test_a_passage_opens_with_a_mark_or_not(text, mark):
    assert surface(text).mark is mark


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("“The boats are late, and the lamps are lit,” said Anne.", True),
        ('"The boats are late, and the lamps are lit," said Anne.', True),
        ("'The boats are late, and the lamps are lit,' said Anne.", True),
        ("“Late,” said Anne, who had waited on the quay since the lamps were lit.", False),
        ("The boats were late.", False),
        ("“The boats are late. Nobody has seen them since the morning.", True),
        ("the boats are late, and the lamps are lit,” said Anne.", True),
        ('the boats are late, and the lamps are lit," said Anne.', True),
        ("Anne, who had waited long, said “no.” Nobody answered her on the quay.", False),
        ("* * *", False),
    ],
)
def test_a_passage_is_spoken_where_half_of_its_letters_are(text, spoken):
    assert surface(text).spoken is spoken


def test_nothing_is_seen_of_nothing():
    assert surface(" \n") == Surface(0, lower=False, mark=False, spoken=False, whole=False)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("The tide was out.", True),
        ("“The tide is out!”", True),
        ("“Is it?” _he asked._", True),
        ("He waited… ", True),
        ("He waited, and", False),
        ("He waited--", False),
        ("“Wait;”", False),
        ("", False),
    ],
)
def test_how_a_passage_ends(text, whole):
    assert surface(text).whole is whole
    assert ends_as_a_sentence(text) is whole


def test_words_are_shared_without_case_and_each_once():
    around = frozenset(words("The TIDE, the tide; sea-wall"))
    assert shared("Tide, tide and sea", around) == 2 / 3
    assert shared("—", around) == 0
    assert reads("The Tide—was out!") == reads("the tide was out") == "the tide was out"


def test_what_stands_on_letters_is_what_unicode_calls_marks():
    assert (
        frozenset(sign for sign in map(chr, range(sys.maxunicode + 1)) if category(sign)[0] == "M")
        == ON_LETTERS
    )


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("the tide — “out”", "the tide — “out”"),
        ("Cafe\u0301", "Café"),
        # Composed, this one sign is a yod and its point.
        ("\ufb1d", "\u05d9"),
        ("x" + "\u0323" * 40, "x"),
    ],
)
def test_a_text_without_its_marks(text, without):
    assert bare(text) == without

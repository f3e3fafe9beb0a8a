"""The tokeniser named words-1."""

import pytest

from retrieval.engine.text.tokens import TOKENISER, normalised, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is a truth", ["it", "is", "a", "truth"]),
        ("don't don’t", ["don't", "don’t"]),
        ("'Tis the dogs' bone", ["tis", "the", "dogs", "bone"]),
        ("_very_ post-office", ["very", "post", "office"]),
        ("Élise in 1813, N°2", ["élise", "in", "1813", "n", "2"]),
        ("rock'n'roll", ["rock'n'roll"]),
        ("  * * *  —", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_texts_that_read_the_same_are_equal() -> None:
    assert (
        normalised("“I don’t,” said she.")
        == normalised("I _don't_ said she")
        == ("i", "don't", "said", "she")
    )
    assert normalised("I do not") != normalised("I don't")


def test_the_rule_has_a_name_that_jobs_store() -> None:
    assert TOKENISER == "words-1"

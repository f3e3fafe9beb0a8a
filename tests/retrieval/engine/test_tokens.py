"""The tokeniser named words-2."""

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
        # Pointed Hebrew is never composed; vowels of Hindi are marks; Arabic may have its own or none.
        ("בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים", ["בְּרֵאשִׁ֖ית", "בָּרָ֣א", "אֱלֹהִ֑ים"]),
        ("हिन्दी में, بِسْمِ", ["हिन्दी", "में", "بِسْمِ"]),
        ("L'e\u0301te\u0301 a\u0304ra\u0304rum", ["l'e\u0301te\u0301", "a\u0304ra\u0304rum"]),
        ("\u03b1\u0313\u0301\u03b4\u03c9, \u0130znik", ["\u03b1\u0313\u0301\u03b4\u03c9", "i\u0307znik"]),
        # A mark without a letter before it is none. Some stand beyond U+FFFF.
        (
            "\u0301a _\u0301_ b-\u0301c d'\u0301e \U00011107\U00011127",
            ["a", "b", "c", "d", "e", "\U00011107\U00011127"],
        ),
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
    assert TOKENISER == "words-2"

"""Lemma tables, synonym tables and stop lists as files."""

import pytest

from common.errors import BadInput
from retrieval.engine.words import table_files
from retrieval.engine.words.remarks import Remarks


@pytest.fixture
def read(tmp_path):
    """Write a file, read it with a function of `table_files`; return what it holds and the remarks."""

    def of(function, text):
        file, remarks = tmp_path / "table.txt", Remarks()
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return function(file, remarks), remarks.sentences()

    return of


def test_the_lemmas_of_words(read):
    found, remarks = read(
        table_files.lemmas, "# from a lexicon\nShips\tship\nlaid\tLay\n\nlaid\tlie\nlaid\tlay\n"
    )
    assert found == {"ships": "ship", "laid": "lay"}
    assert remarks == ["1 line left out: their word has another lemma above; the first is line 5."]


def test_the_commonest_lemma_of_verses_and_of_equals_the_first(read):
    verses = (
        "book\ttokens\tlemma\n"
        "A\tDies  dies solis maria\tdies  dies solum mare\n"
        "B\tsolis maria\tsol mas\n"
        "C\tsolis\tsol\n"
    )
    found, remarks = read(table_files.lemmas, verses)
    assert found == {"dies": "dies", "solis": "sol", "maria": "mare"}
    assert remarks == []


def test_synonyms_by_the_line_they_stand_in(read):
    found, remarks = read(table_files.synonyms, "boat ship\nalone\nShip\tvessel  craft\n")
    assert found == {
        "boat": frozenset({0}),
        "ship": frozenset({0, 1}),
        "vessel": frozenset({1}),
        "craft": frozenset({1}),
    }
    assert remarks == ["1 line left out: a word alone is no group of synonyms; the first is line 2."]


def test_a_stop_list(read):
    assert read(table_files.stop_words, "The\nof \n#\n\nthe\n") == (
        frozenset({"the", "of", "#"}),
        ["1 line left out: their word was there before; the first is line 5."],
    )


@pytest.mark.parametrize(
    ("function", "text", "says"),
    [
        (table_files.lemmas, "ships ship\n", r"Line 1 of table.txt is no lemma; write word, tab, lemma"),
        (table_files.lemmas, "ships\t\n", r"Line 1 of table.txt is no lemma"),
        (table_files.lemmas, "tokens\tlemma\na b\ta\n", r"Line 2 of table.txt has 2 tokens and 1 lemmas"),
        (table_files.lemmas, "book\ttokens\tlemma\na\ta\n", r"Line 2 .* has 2 columns; the first has 3"),
        (table_files.lemmas, "tokens\tlemma\n", r"table.txt has no word in it"),
        (
            table_files.lemmas,
            b"a\tb\n\xe9t\xe9\tb\n",
            r"Line 2 of table.txt is not UTF-8: save the file as UTF-8",
        ),
        (table_files.synonyms, "alone\n", r"table.txt has no group of synonyms; a line is one"),
        (table_files.stop_words, "the\nof and\n", r"Line 2 of table.txt has 2 words; a stop list has one"),
        (table_files.stop_words, "", r"table.txt has no word in it"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(read, function, text, says):
    with pytest.raises(BadInput, match=says):
        read(function, text)

"""Texts as terms, and what a ranker is given in place of a name."""

from math import log

import numpy as np
import pytest

from common.errors import BadInput
from retrieval.engine.ranking import rankers
from retrieval.engine.similarity import given, terms
from retrieval.engine.words import kinds
from retrieval.engine.words.tables import AS_GIVEN, LemmaTable, StopList
from retrieval.engine.words.vectors import WordVectors

LEMMAS = LemmaTable({"ships": "ship", "left": "leave"})


class Ranker:
    slug = "of-words"
    parameters = {**terms.PARAMETERS, "synonyms": rankers.Named("synonym table")}


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (terms.Reading(), ["two", "ships", "left"]),
        (terms.Reading(LEMMAS), ["two", "ship", "leave"]),
        (terms.Reading(LEMMAS, frozenset(["leave", "ships"])), ["two", "ship"]),
        (terms.Reading(AS_GIVEN), ["two", "ships,", "left!"]),
    ],
)
def test_a_text_is_read_as_tokens_lemmas_or_as_it_is_given(reading: terms.Reading, expected: list) -> None:
    assert reading.terms("Two ships,\n left!") == expected
    assert len(reading.words("Two ships,\n left!")) == 3


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    vectors = WordVectors(["cafe\u0301", "caf\u00e9s"], np.eye(2, dtype=np.float32))
    lemmas = LemmaTable({"caf\u00e9": "coffee"})
    assert terms.Reading().terms("Cafe\u0301") == ["caf\u00e9"]
    assert terms.Reading(lemmas).terms("CAFE\u0301") == ["coffee"]
    assert terms.Reading(AS_GIVEN).terms("Cafe\u0301 noir") == ["caf\u00e9", "noir"]
    assert vectors.rows(["caf\u00e9", "caf\u00e9s", "cafe"]).tolist() == [0, 1, -1]


def test_queries_are_counted_in_the_words_of_the_passages() -> None:
    found = terms.read(["a b b", "c"], terms.Reading())
    assert found.counts.toarray().tolist() == [[1, 2, 0], [0, 0, 1]]
    assert found.queries(["c z c a", "z", ""]).toarray().tolist() == [[1, 0, 2], [0, 0, 0], [0, 0, 0]]
    assert found.queries([]).shape == (0, 3)


def test_idf_is_equation_6_also_where_it_is_not_positive() -> None:
    found = terms.read(["a b c", "a b", "a b", "a"], terms.Reading())
    assert found.idf().tolist() == pytest.approx([log(4 / 5), log(4 / 4), log(4 / 2)])


@pytest.mark.parametrize(
    ("passages", "says"), [([], "no passage to rank"), (["", "--"], "No passage has a word")]
)
def test_what_cannot_be_ranked_is_refused(passages: list, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        terms.read(passages, terms.Reading())


def test_things_stand_in_place_of_their_names() -> None:
    stops = StopList(frozenset(["the"]))
    values = terms.complete(
        Ranker(), {"words": "lemmas", "lemmas": LEMMAS, "stop_list": stops, "synonyms": ""}
    )
    assert values == {"words": "lemmas", "lemmas": LEMMAS, "stop_list": stops, "synonyms": None}
    assert terms.reading(values) == terms.Reading(LEMMAS, frozenset(["the"]))
    # A table that is there and not asked for changes nothing.
    assert terms.reading({**values, "words": "tokens"}).lemmas is None


@pytest.mark.parametrize(
    ("parameters", "needed", "says"),
    [
        ({"words": "lemmas"}, (), r"needs a lemma table.* manage.py add_words lemmas FILE --name NAME"),
        ({"stop_list": "latin"}, (), r"needs a stop list.* manage.py add_words stop-list FILE"),
        ({}, ("synonyms",), r"The ranker of-words needs a synonym table here.* add_words synonyms FILE"),
        ({"synonyms": LEMMAS}, (), r"needs a synonym table"),
        ({"words": "stems"}, (), r"words is 'stems'; it must be one of: tokens, lemmas"),
        ({"vectors": "latin"}, (), r"no parameter 'vectors'"),
    ],
)
def test_what_is_missing_is_said_with_the_command_that_mends_it(
    parameters: dict, needed: tuple, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        terms.complete(Ranker(), parameters, needed)


def test_every_kind_that_is_kept_can_stand_in_place_of_its_name() -> None:
    assert given.TYPES.keys() == kinds.NAMED.keys()

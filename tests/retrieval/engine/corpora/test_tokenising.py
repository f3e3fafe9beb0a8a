"""What becomes a term, and that two ways of making terms are never mixed."""

import pytest

from common.errors import BadInput
from retrieval.engine.corpora.tokenising import Tokeniser, TokenSettings, refuse_mixture


def terms(text: str, **settings: str) -> list[str]:
    return Tokeniser(TokenSettings(**settings)).terms(text)


def test_every_word_is_kept_by_default():
    assert terms("The fox’s DEN, a 2-mile co-operate; O don't _go_!") == (
        ["the", "fox's", "den", "a", "2", "mile", "co", "operate", "o", "don't", "go"]
    )


def test_the_tokeniser_of_books_keeps_the_apostrophe_that_stands_there():
    assert terms("fox’s fox's", tokeniser="words-2") == ["fox’s", "fox's"]


def test_letters_with_accents_are_equal_however_they_are_composed():
    assert terms("cafe\u0301") == terms("caf\u00e9") == ["caf\u00e9"]


def test_stop_words_go_before_stemming_and_a_stemmer_takes_the_possessive():
    settings = {"stop_list": "lucene", "stemmer": "snowball-porter"}
    assert terms("It's the foxes' and the fox's running: ponies there", **settings) == (
        ["fox", "fox", "run", "poni"]
    )
    assert terms("the fox's ponies", stemmer="plural") == ["the", "fox", "pony"]


def test_a_query_counts_repeated_words_and_is_alphabetical():
    found = Tokeniser().query("gin craze gin")
    assert list(found.items()) == [("craze", 1.0), ("gin", 2.0)]


@pytest.mark.parametrize("name", ["tokeniser", "stop_list", "stemmer"])
def test_an_unknown_name_is_refused_with_those_there_are(name):
    with pytest.raises(BadInput, match=r"There is no .* 'nothing'; choose one of: .*\w"):
        TokenSettings(**{name: "nothing"})


def test_settings_are_stored_as_a_value_and_read_strictly():
    settings = TokenSettings(stop_list="lucene", stemmer="plural")
    assert TokenSettings.from_json(settings.as_json()) == settings
    for wrong in (None, [], {}, {"tokeniser": "straight-2"}, {**settings.as_json(), "more": 1}):
        with pytest.raises(BadInput, match="must name tokeniser, stop_list, stemmer"):
            TokenSettings.from_json(wrong)


def test_terms_made_differently_are_not_mixed():
    refuse_mixture(TokenSettings(), TokenSettings())
    with pytest.raises(BadInput, match=r"stemmer none, the other with .*stemmer snowball-porter"):
        refuse_mixture(TokenSettings(), TokenSettings(stemmer="snowball-porter"))


def test_an_index_of_a_former_stemmer_is_recognised():
    with pytest.raises(BadInput, match="build it again with snowball-porter"):
        TokenSettings.from_json({**TokenSettings().as_json(), "stemmer": "porter"})


@pytest.mark.parametrize(("former", "now"), [("straight-1", "straight-2"), ("words-1", "words-2")])
def test_an_index_of_a_former_tokeniser_is_recognised(former, now):
    with pytest.raises(BadInput, match=f"its tokeniser {former}, which is gone; build it again with {now}"):
        TokenSettings.from_json({**TokenSettings().as_json(), "tokeniser": former})


def test_letters_with_their_marks_composed_are_those_with_marks_of_their_own():
    assert terms("e\u0301te\u0301 \u03b1\u0313\u03b4\u03c9") == terms("été ἀδω") == ["été", "ἀδω"]
    assert terms("\u05d1\u05b0\u05bc\u05e8") == terms("\u05d1\u05bc\u05b0\u05e8") != ["\u05d1", "\u05e8"]

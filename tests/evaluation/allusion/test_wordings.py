"""The words of a passage as a query: of spans, of windows around the anchor, of the source."""

from hashlib import sha256

import pytest

from annotation.tasktypes.tokens import tokenise
from common.errors import BadField
from evaluation.allusion.queries.citations import Cited, verses
from evaluation.allusion.queries.wordings import Wording, source, spans_of, window, wording

TEXT = "Keep your lamp, neighbour, for the tide asks no man twice, and the night is long."
# Tokens: Keep your lamp , neighbour , for the tide asks no man twice , and the night is long .
ANCHOR = [8, 9]


def passage(text=TEXT, anchor=ANCHOR, **more):
    return {
        "text": text,
        "sha256": sha256(text.encode()).hexdigest(),
        "tokens": tokenise(text),
        "anchor": anchor,
        **more,
    }


def lemmata(text=TEXT, **known):
    words = [text[first:end] for first, end in tokenise(text)]
    return [known.get(word, word.lower() if word.isalpha() else "") for word in words]


def words_of(payload, width):
    return wording(payload, [window(payload, width)]).text


def test_a_span_is_its_words_with_the_marks_between_them_and_its_lemmas_without():
    payload = passage(lemmata=lemmata(asks="ask", twice=""))
    assert wording(payload, [(6, 14)]) == Wording(
        "for the tide asks no man twice,", "for the tide ask no man twice"
    )


def test_spans_in_several_places_are_one_query():
    payload = passage(lemmata=lemmata())
    spans = spans_of({"spans": [[2, 3], [16, 17]]})
    assert wording(payload, spans) == Wording("lamp night", "lamp night")
    assert spans_of({"start": 2, "end": 5}) == [(2, 5)]
    assert spans_of({"declined": "no_allusion"}) == []


@pytest.mark.parametrize("given", [None, [""] * len(tokenise(TEXT))])
def test_a_passage_without_lemmas_gives_none(given):
    more = {} if given is None else {"lemmata": given}
    assert wording(passage(**more), [(6, 9)]).lemmas == ""


def test_a_window_counts_words_and_holds_the_anchor():
    payload = passage()
    # Three words to each side: the comma behind “twice” is no word.
    assert words_of(payload, 1) == "the tide asks"
    assert words_of(payload, 3) == "neighbour, for the tide asks no man"
    assert words_of(payload, 4) == "lamp, neighbour, for the tide asks no man twice"


def test_a_window_ends_with_the_passage():
    assert words_of(passage(), 10) == TEXT.removesuffix(".")
    assert words_of(passage(anchor=[0, 1]), 2) == "Keep your lamp"
    assert words_of(passage(anchor=[18, 19]), 2) == "night is long"
    assert words_of(passage(anchor=[7, 9]), 1) == "for the tide asks"


def test_without_an_anchor_there_is_no_window():
    assert window(passage(anchor=None), 3) is None


@pytest.mark.parametrize("width", [0, -1, 1_001])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(BadField, match="A window has 1 to 1,000 words to each side"):
        window(passage(), width)


def test_the_source_stands_without_the_verses_around_it():
    text = "The tide is early.\nKeep your lamp.\nThe night is long."
    payload = passage(text, None, citation="Crossing 4:2–4")
    assert wording(payload, source(payload, {"source": ["Crossing 4:3"]})).text == "Keep your lamp."
    both = source(payload, {"source": ["Crossing 4:2", "Crossing 4:4"]})
    assert wording(payload, both).text == "The tide is early. The night is long."


@pytest.mark.parametrize(
    ("citation", "provenance"),
    [
        ("Crossing 4:2–4", {}),
        ("Crossing 4:2–3", {"source": ["Crossing 4:3"]}),
        ("A sermon of 1871", {"source": ["Crossing 4:3"]}),
        ("Crossing 4:2–4", {"source": ["Crossing 9:1"]}),
        ("", {"source": []}),
    ],
)
def test_where_the_source_is_not_known_it_is_the_whole_passage(citation, provenance):
    text = "The tide is early.\nKeep your lamp.\nThe night is long."
    payload = passage(text, None, citation=citation)
    assert wording(payload, source(payload, provenance)).text == text.replace("\n", " ")


@pytest.mark.parametrize(
    ("citation", "named"),
    [
        ("Isaiah 7:14", ["Isaiah_7_14"]),
        ("1 Corinthians 2:9–11", ["1-Corinthians_2_9", "1-Corinthians_2_10", "1-Corinthians_2_11"]),
        ("Song of Songs 1:2, 4; 2:1", ["Song-of-Songs_1_2", "Song-of-Songs_1_4", "Song-of-Songs_2_1"]),
        ("Mark 1:2, Luke 3:4-5", ["Mark_1_2", "Luke_3_4", "Luke_3_5"]),
        ("A sermon of 1871", []),
        ("Isaiah 7", []),
        ("7:14", []),
        ("Isaiah 7:14, and elsewhere", []),
        ("Isaiah 7:14–12", []),
        ("Isaiah 7:1–9999", []),
        ("Isaiah 7:½", []),
        ("", []),
    ],
)
def test_a_citation_is_its_verses_or_none(citation, named):
    assert [each.name for each in verses(citation)] == named


def test_a_verse_keeps_its_book_as_it_is_written():
    assert verses("1 Kings 2:3") == [Cited("1 Kings", 2, 3)]

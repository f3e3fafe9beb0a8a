"""QRatio, the shortlist, and the runs of equal words."""

import random
from functools import cache

import numpy as np
import pytest
from rapidfuzz import fuzz, process, utils

from retrieval.engine.quotations.alignment import BreakOffsets, Chain, SharedRun, Words, chains, shared_runs
from retrieval.engine.quotations.matching import (
    Shortlist,
    contains,
    count_tokens,
    longest_common_substring,
    similarity,
)
from retrieval.engine.text.sentences import segment
from tests.retrieval import real_texts

BOOK = (
    "The packet had been due at noon, and it was now past four. Nobody on the quay had said so aloud. "
    "To say so aloud was held to bring the thing about. The schoolmaster said that it was very likely so."
)


def test_similarity_hears_neither_case_nor_punctuation():
    assert similarity("Nobody, on the quay!", "nobody on the quay") > 94
    assert similarity("NOBODY", "nobody") == 100


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("It rained upon the quay.", 6),
        ("“Don't,” said Mr. Crale--", 7),
        ("Judith's _Tables_ cannot wait … so", 8),
        ("Well, well!", 4),
    ],
)
def test_tokens_are_counted_as_spacy_does_quotation_marks_aside(text, tokens):
    assert count_tokens(text) == tokens


def test_a_part_is_contained_and_another_part_is_not():
    whole = "Nobody on the quay had said so aloud, and nobody would."
    assert contains(whole, "had said so aloud")
    assert contains("HAD SAID SO ALOUD", whole)
    assert not contains("Nobody on the quay", "and nobody would")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("abcde", "xxbcdxx", 3), ("", "abc", 0), ("It was so.", "it WAS so", 9), ("abc", "xyz", 0)],
)
def test_longest_common_substring(one, other, expected):
    assert longest_common_substring(one, other) == expected


class TestShortlist:
    SENTENCES = [BOOK[start:end] for start, end in segment(BOOK).sentences]

    def test_finds_an_altered_sentence(self):
        found = Shortlist(self.SENTENCES).matches("no body on the Quay had said so a-loud")
        assert [number for number, _ in found] == [1]

    def test_gives_every_copy_the_earliest_first(self):
        copies = ["The tide came in at its hour and nobody thanked it.", *self.SENTENCES] * 60
        found = Shortlist(copies).matches("The tide came in at its hour, and nobody thanked it.")
        assert [number for number, _ in found] == list(range(0, len(copies), len(self.SENTENCES) + 1))

    @pytest.mark.parametrize("printed", ["", "?!", "Quite another sentence about quite another matter."])
    def test_finds_nothing_where_nothing_is(self, printed):
        assert Shortlist(self.SENTENCES).matches(printed) == []

    def test_a_book_without_sentences(self):
        assert Shortlist([]).matches("Nobody on the quay had said so aloud.") == []


def noisy(text, share, rng):
    """Every character is lost, replaced or doubled with the given probability in all."""
    out = []
    for letter in text:
        chance = rng.random()
        if chance < share / 3:
            continue
        out.append(rng.choice("abcdefghij") if chance < 2 * share / 3 else letter)
        if 2 * share / 3 <= chance < share:
            out.append(rng.choice("aeiou "))
    return "".join(out)


@cache
def shortlist():
    return Shortlist(real_texts.sentences("novels/pride_and_prejudice.txt"))


@real_texts.needed
@pytest.mark.parametrize("share", [0.04, 0.10])
def test_the_shortlist_answers_as_all_pairs_do(share):
    """500 noisy sentences of the book and 200 of another: the same matches, the same scores."""
    rng = random.Random(20)
    book = real_texts.sentences("novels/pride_and_prejudice.txt")
    other = real_texts.sentences("novels/persuasion.txt")
    printed = [noisy(each, share, rng) for each in rng.sample([s for s in book if len(s.split()) >= 10], 500)]
    printed += rng.sample([s for s in other if len(s.split()) >= 10], 200)
    all_pairs = process.cdist(
        printed, book, scorer=fuzz.QRatio, processor=utils.default_process, score_cutoff=80, dtype=np.float64
    )
    for row, sentence in zip(all_pairs, printed, strict=True):
        expected = sorted(np.flatnonzero(row), key=lambda number: (-row[number], number))
        found = shortlist().matches(sentence)
        assert [number for number, _ in found] == expected
        assert [score for _, score in found] == pytest.approx([row[number] for number in expected])


class TestRuns:
    def test_runs_are_the_longest_equal_stretches(self):
        printed = Words("Ada writes: nobody on the quay, says he, had said so aloud.")
        assert shared_runs(printed, Words(BOOK)) == [SharedRun(2, 6, 13, 17), SharedRun(8, 12, 17, 21)]

    def test_fewer_than_four_words_are_no_run(self):
        assert shared_runs(Words("nobody on the pier"), Words(BOOK)) == []

    def test_apostrophes_of_either_kind_are_the_same(self):
        assert len(shared_runs(Words("the ship’s own boat came"), Words("the ship's own boat came"))) == 1

    def test_texts_of_less_than_four_words(self):
        assert shared_runs(Words("so"), Words(BOOK)) == []
        assert shared_runs(Words(BOOK), Words("")) == []

    def test_what_stands_everywhere_places_nothing(self):
        assert shared_runs(Words("he said that so"), Words("he said that so " * 20)) == []


class TestChains:
    def chain(self, text, marks=(), sentences=()):
        printed = Words(text)
        return chains(shared_runs(printed, Words(BOOK)), printed, Words(BOOK), BreakOffsets(marks, sentences))

    def test_altered_words_are_bridged(self):
        found = self.chain("The packet had been expected at noon, and it was now past four.")
        assert len(found) == 1
        assert found[0].book == (0, 13)
        assert found[0].matched == 12

    def test_an_ellipsis_bridges_what_is_left_out(self):
        found = self.chain("The packet had been due at noon ... was held to bring the thing about.")
        assert len(found) == 1

    def test_without_an_ellipsis_so_far_a_leap_is_two_quotations(self):
        found = self.chain("The packet had been due at noon was held to bring the thing about.")
        assert len(found) == 2

    def test_without_an_ellipsis_a_speech_goes_on_behind_the_words_who_speaks(self):
        book = Words("“It is past four,” said the schoolmaster, as he shut the door, “and nobody has come.”")
        printed = Words("“It is past four, and nobody has come.”")
        assert len(chains(shared_runs(printed, book), printed, book, BreakOffsets())) == 1
        told = Words(book.text.replace("“", "").replace("”", ""))
        assert len(chains(shared_runs(printed, told), printed, told, BreakOffsets())) == 2

    def test_the_critics_sentence_between_two_marks_parts_them(self):
        text = (
            "“The packet had been due at noon,” which is all that he says of it, “and it was now past four.”"
        )
        marks = [at for at, letter in enumerate(text) if letter in "“”"]
        assert len(self.chain(text, marks)) == 2
        assert len(self.chain(text)) == 1

    def test_a_sentence_that_the_critic_begins_parts_two_quotations(self):
        text = "“The packet had been due at noon.” Then “it was now past four. Nobody had said so.”"
        marks = [at for at, letter in enumerate(text) if letter in "“”"]
        assert len(self.chain(text, marks, [0, text.index("Then")])) == 2
        assert len(self.chain(text, marks, [0])) == 1

    def test_clipping_keeps_word_to_word(self):
        chain = Chain((SharedRun(2, 6, 13, 17), SharedRun(8, 12, 17, 21)))
        assert chain.clipped(4, 10).runs == (SharedRun(4, 6, 15, 17), SharedRun(8, 10, 17, 19))
        assert chain.clipped(0, 7).runs == (SharedRun(2, 6, 13, 17),)

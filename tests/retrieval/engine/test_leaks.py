"""Words of an answer that stand elsewhere: the longest run, the index, and the place of typed words."""

from __future__ import annotations

from random import Random

import pytest

from common.errors import BadField
from retrieval.engine.leaks.longest import Shared, longest
from retrieval.engine.leaks.places import MOST_WORDS, Place, place_of
from retrieval.engine.leaks.printed import MOST_NEARLY, printed
from retrieval.engine.quotations.alignment import Words


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("a b c d", "x b c y", (2, 1, 1)),
        ("a b c d", "a b c d", (4, 0, 0)),
        ("a b", "c d", (0, 0, 0)),
        ("", "a", (0, 0, 0)),
        ("a b c d e f g", "g a b c d e f", (6, 0, 1)),
        ("x a b y a b", "a b", (2, 1, 0)),
        ("a", "b a", (1, 0, 1)),
    ],
)
def test_the_longest_run(one, other, found):
    assert longest(one.split(), other.split()) == Shared(*found)


def test_the_longest_run_is_that_of_all_pairs():
    def slow(one, other):
        best = 0
        for first in range(len(one)):
            for second in range(len(other)):
                size = 0
                while one[first + size : first + size + 1] == other[second + size : second + size + 1] != []:
                    size += 1
                best = max(best, size)
        return best

    random = Random(3)
    for _ in range(150):
        one, other = ([random.choice("abc") for _ in range(random.randrange(0, 25))] for _ in range(2))
        found = longest(one, other)
        assert found.length == slow(one, other)
        assert one[found.one : found.one + found.length] == other[found.other : found.other + found.length]


GOLD = "The lamps along the quay were lit before anybody had thought of the ferry."


def pieces(sought, shown):
    found = printed([sought], [shown])
    return [[shown[start:end] for start, end in each.spans] for each in found]


@pytest.mark.parametrize(
    ("sought", "shown", "found"),
    [
        (GOLD, f"He quotes it: “{GOLD}” And so on.", [[GOLD[:-1]]]),
        (GOLD, "As lamps along the quay were lit, so", [["lamps along the quay were lit"]]),
        (GOLD, "As along the quay were lit, so", []),  # five words
        (GOLD, GOLD.replace("lit", "burning").upper(), [[GOLD.replace("lit", "burning").upper()[:-1]]]),
        ("He lit the lamps.", "And he lit the lamps again.", [["he lit the lamps"]]),
        ("He lit lamps.", "And he lit lamps again.", []),  # three words say nothing
        ("He lit the old lamps slowly.", "And he lit the new lamps slowly.", []),  # six, one of them another
        (
            "He lit the old lamps very slowly.",
            "And he lit the odd lamps very slowly.",
            [["he lit the odd lamps very slowly"]],
        ),
        (
            "Before it was dark the ferry had gone. Nobody on the quay had thought of that.",
            "It was before it was dark the ferry came; nobody on the quay had thought it",
            [["before it was dark the ferry", "nobody on the quay had thought"]],
        ),
        ("", "And so on", []),
        (GOLD, "", []),
    ],
)
def test_what_stands_in_a_text(sought, shown, found):
    assert pieces(sought, shown) == found


def test_the_run_and_the_share():
    [found] = printed([GOLD], ["As lamps along the quay were lit, so"])
    assert (found.sought, found.shown, found.run) == (0, 0, 6)
    assert found.share == pytest.approx(6 / 14)
    [whole] = printed([GOLD], [f"{GOLD} {GOLD}"])
    assert (whole.run, whole.share) == (14, 1.0)


def test_of_many_only_the_wanted_pairs_are_looked_at():
    told = []
    found = printed(
        [GOLD, "else"], [GOLD, "no", GOLD], lambda one, other: one != other, lambda *n: told.append(n)
    )
    assert [(each.sought, each.shown) for each in found] == [(0, 2)]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_thousand_texts_are_not_compared_with_each_other():
    """Each shares everyday words with all; only those that stand somewhere are compared in full."""
    random = Random(5)
    words = [f"w{n}" for n in range(60)]
    sought = [" ".join(random.choices(words, k=12)) for _ in range(1000)]
    shown = [" ".join(random.choices(words, k=60)) for _ in range(300)]
    shown[7] += f" {sought[5]}"
    compared = []
    found = printed(sought, shown, lambda *pair: compared.append(pair) or True)
    assert (5, 7) in {(each.sought, each.shown) for each in found}
    assert len(compared) < 30


CONTEXT = ["The quay is dark.", "Of the quay, the critic says nothing; “nothing” is much."]


def test_the_place_of_typed_words():
    assert place_of("quay is", CONTEXT) == Place(0, 4, 11)
    assert place_of("“Says NOTHING; Nothing”", CONTEXT) == Place(1, 24, 46)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (" … ", "No word was given"),
        ("the lamp", "does not stand in the context"),
        ("quay", "stands at 2 places"),
        ("dark of the", "does not stand"),  # over two texts
        ("so " * (MOST_WORDS + 1), "at most 200"),
    ],
)
def test_words_that_have_no_place(typed, said):
    with pytest.raises(BadField, match=said):
        place_of(typed, CONTEXT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("שָׁלוֹם אָמַר", ["שָׁלוֹם", "אָמַר"]),
        ("الحُبُّ نُورٌ", ["الحُبُّ", "نُورٌ"]),
        ("Cafe\u0301 de\u0301ja\u0300-vu", ["cafe\u0301", "de\u0301ja\u0300", "vu"]),
        ("क्षत्रिय है", ["क्षत्रिय", "है"]),
        ("他說：海", ["他", "說", "海"]),
        ("Emma’s o'clock", ["emma's", "o'clock"]),
    ],
)
def test_points_end_no_word_and_signs_without_spaces_are_words(text, words):
    assert Words(text).words == words


def test_an_answer_in_chinese_is_found_where_it_stands():
    said = "潮水在夜裡退到了沒有人記得的地方"
    (found,) = printed([said], [f"批評家寫道，{said}，燈也熄了。"])
    assert (found.run, found.share) == (16, 1.0)


@pytest.mark.parametrize(("more", "found"), [(0, 1), (1, 0)])
def test_a_long_text_is_sought_by_its_runs_alone(more, found):
    """Every fifth word has another letter at its end, so that no six in a row are the same."""
    words = [f"tide{number:03}" for number in range(MOST_NEARLY + more)]
    altered = [word if number % 5 < 4 else f"{word[:-1]}x" for number, word in enumerate(words)]
    assert len(printed([" ".join(words)], [" ".join(altered)])) == found

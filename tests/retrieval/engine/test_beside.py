"""What a quotation leaves out of its sentence, printed beside the gap."""

from __future__ import annotations

import pytest

from retrieval.engine.quotations.alignment import Words
from retrieval.engine.quotations.beside import NEAR, beside, left_out
from retrieval.engine.quotations.finding import find
from retrieval.engine.text.sentences import segment

GOLD = (
    "Martha, said the keeper, I have counted the lamps upon the quay from end to end (with a sigh of relief)."
)
QUOTED = "I have counted the lamps upon the quay from end to end"


def hidden(before, behind, quoted=QUOTED, gold=GOLD):
    text = f"{before} {quoted} {behind}"
    words = Words(text)
    gap = words.between(len(before), len(before) + len(quoted) + 2)
    ranges = beside(words.words, gap, Words(gold).words)
    return sorted({" ".join(words.words[slice(*each)]) for each in ranges})


@pytest.mark.parametrize(
    ("before", "behind", "covered"),
    [
        ("“‘Martha,’ said the keeper,", "and so on.", ["martha said the keeper"]),
        ("So the", "keeper", []),
        ("So thinks the keeper", "and so on", ["the keeper"]),  # two words that touch the gap
        ("So thinks the keeper of it", "and so on", []),  # two that do not
        ("So said the keeper of it", "and so on", ["said the keeper"]),  # three do, wherever near
        ("", "(with a sigh of relief)", ["with a sigh of relief"]),
        ("", "(with a sign of relief)", ["with a sign of relief"]),  # one word altered
        ("", "with a", ["with a"]),
        ("", "so with a sigh here", ["with a sigh"]),
        ("", "said the keeper", ["said the keeper"]),
        ("", "the keeper", []),  # the gold opens with it, and does not close
        ("of relief", "", []),
        ("with a sigh", "", ["with a sigh"]),
        ("lamps upon the quay", "counted the lamps", []),  # of what is quoted nothing is left out
    ],
)
def test_what_is_left_out_of_the_gold_is_found_near_the_gap(before, behind, covered):
    assert hidden(before, behind) == covered


def test_only_what_is_near_counts():
    run = "said the keeper"
    for between, found in ((NEAR - 3, [run]), (NEAR - 2, [])):
        assert hidden(f"{run} {'so ' * between}", "") == found
        assert hidden("", f"{'so ' * between} {run}") == found


@pytest.mark.parametrize(
    ("said", "opening", "closing"),
    [
        ("c d e f", "a b", "g h"),
        ("x d e f", "a b", "g h"),  # the first word is altered
        ("c d e y", "a b", "g h"),  # the last
        ("a b c d e f g h", "", ""),
        ("x y z w", "", ""),  # nowhere
        ("c d", "a b", "e f g h"),
        ("c", "", ""),
    ],
)
def test_where_the_quotation_stands_in_the_gold(said, opening, closing):
    found = left_out(said.split(), "a b c d e f g h".split())
    assert found == (opening.split(), closing.split())


NOVEL = f"Nobody had told him of it. {GOLD} He walked home along the wall. The keeper slept."


@pytest.mark.parametrize(
    ("before", "behind", "shown"),
    [
        ("So the ending is what said the keeper: “", "” is all of it. And that is plain.", "what […]:"),
        ("So the ending is: “", "” But only with a sigh, he says. And that is plain.", "only […], he"),
    ],
)
def test_no_context_opens_or_closes_as_the_gold_does(before, behind, shown):
    source = f"{before}{QUOTED}{behind} The rest is of no interest to anybody who lives inland."
    [found] = find(source, NOVEL, segment(NOVEL).sentences).found
    assert found.printed == QUOTED
    assert shown in " ".join((*found.left, *found.right))

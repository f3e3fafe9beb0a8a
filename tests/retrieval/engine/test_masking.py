"""Where the rules about what a context may print begin and end: beside the border, and on it."""

from __future__ import annotations

import pytest

from retrieval.engine.quotations.borders import Match
from retrieval.engine.quotations.masking import COVERED, cover, covered, repeats
from retrieval.engine.quotations.pairing import BookText, SourceText
from retrieval.engine.quotations.spans import Spans
from retrieval.engine.text.sentences import segment

GOLD = "The ferry had gone before anybody on the quay thought of counting the lamps."
NOVEL = f"Nobody had told him. {GOLD} He walked home along the wall. The keeper slept."


@pytest.fixture(scope="module")
def book():
    return BookText(NOVEL, segment(NOVEL).sentences)


def place(text, words):
    start = text.index(words)
    return start, start + len(words)


def match(text, words, first=1, stop=2):
    return Match(*place(text, words), first, stop, 100.0, 14, True, True, False, False)


def hidden(book, text, window=None, others=(), quotation=GOLD):
    """The context as a reader sees it: the window's text, what is covered of it printed as such."""
    own = match(text, quotation)
    window = window or (0, len(text))
    spans = covered(own, Spans(sorted([own, *others])), window, SourceText(text), book)
    return cover(text, window, spans)


def critic(said):
    return f"“{GOLD}” So it begins. What the critic says of “{said}” is his own affair."


@pytest.mark.parametrize(
    ("said", "is_covered"),
    [
        ("the lamps", False),
        ("counting the lamps", True),
        ("anybody on the", True),
        ("counting the lambs", False),  # three words, one of them another: too little to tell
        ("of counting the lambs", True),  # four
        ("gone before anybody on the quai", True),
        ("the keeper of the light was asleep", False),
    ],
)
def test_a_phrase_is_taken_up_from_three_words_and_with_an_altered_one_from_four(book, said, is_covered):
    shown = hidden(book, critic(said))
    assert (f"“{said}”" not in shown) is is_covered
    assert (f"“{COVERED}”" in shown) is is_covered


def test_an_altered_phrase_may_be_as_long_as_the_gold_and_no_longer(book):
    altered = GOLD.replace("lamps.", "lambs")
    assert f"“{COVERED}”" in hidden(book, critic(altered))
    longer = f"{altered} again"
    assert len(longer.split()) == len(GOLD.split()) + 1
    shown = hidden(book, critic(longer))
    assert f"“{COVERED} lambs again”" in shown, (
        "of what is longer only the gold's own run of words is covered"
    )


@pytest.mark.parametrize(
    ("run", "is_covered"),
    [("thought of counting the lamps", False), ("quay thought of counting the lamps", True)],
)
def test_six_words_of_the_gold_in_a_row_are_covered_in_a_longer_saying(book, run, is_covered):
    said = f"when we at last find a reader who has {run} in mind and says it is the novel's only open joke"
    assert (f"has {run} in mind" not in hidden(book, critic(said))) is is_covered
    assert repeats(f"A critic may say {run}.", GOLD.rstrip(".").lower().split()) is is_covered


def test_several_runs_in_one_saying_are_covered_each(book):
    said = (
        "some say the ferry had gone before anybody and then after much else that is not in it at all "
        "quay thought of counting the lamps as well"
    )
    shown = hidden(book, critic(said))
    assert (
        f"“some say {COVERED} and then after much else that is not in it at all {COVERED} as well”" in shown
    )


def test_what_only_touches_the_window_or_the_quotation_is_left(book):
    """A stretch that ends where the window begins stands outside it; one that begins there is in it."""
    said = "counting the lamps"
    text = critic(said)
    start, end = place(text, f"“{said}”")
    inside = (start + 1, end - 1)
    assert COVERED not in hidden(book, text, (0, start))
    assert COVERED not in hidden(book, text, (end, len(text)))
    assert COVERED in hidden(book, text, (start, end))
    assert hidden(book, text, inside) == COVERED
    assert hidden(book, text, (inside[0], inside[0] + 1)) == COVERED


def test_the_quotation_itself_is_never_covered(book):
    text = critic("nothing of it")
    assert hidden(book, text) == text
    ahead = f"He is right: “{GOLD}” and there it ends."
    assert hidden(book, ahead) == ahead


def test_another_quotation_tells_only_where_it_shares_a_sentence(book):
    other = "He walked home along the wall."
    text = f"“{GOLD}” That is all. Much later comes “{other}” and the rest of it."
    beside = match(text, other, 2, 3)
    assert hidden(book, text, others=[beside]) == text
    sharing = match(text, other, 1, 3)
    assert f"“{COVERED}”" in hidden(book, text, others=[sharing])
    before = match(text, other, 0, 1)
    assert hidden(book, text, others=[before]) == text
    from_before = match(text, other, 0, 2)
    assert f"“{COVERED}”" in hidden(book, text, others=[from_before])


def test_the_rest_of_a_quotation_that_the_critic_parts_is_covered(book):
    """With no word of the critic's between, or within the same quotation marks."""
    other = "He walked home along the wall."
    for text, is_covered in (
        (f"“{GOLD}” “{other}” So it ends.", True),
        (f"“{GOLD} … and then … {other}” So it ends.", True),
        (f"“{GOLD}” And “{other}” So it ends.", False),
    ):
        beside = match(text, other, 2, 3)
        assert (COVERED in hidden(book, text, others=[beside])) is is_covered, text


def test_nothing_is_printed_for_what_lies_outside():
    assert cover("abcdef", (2, 4), [(0, 2), (4, 6)]) == "cd"
    assert cover("abcdef", (2, 4), [(0, 3)]) == f"{COVERED}d"
    assert cover("abcdef", (2, 4), [(3, 6)]) == f"c{COVERED}"


def test_what_is_covered_is_in_order_apart_and_within_the_window(book):
    text = critic("counting the lamps")
    own, printed = match(text, GOLD), SourceText(text)
    said = text.rindex("counting"), text.rindex("lamps") + 5
    beside = [Match(*span, 1, 2, 100.0, 1, True, True, False, False) for span in halves(*said)]
    assert covered(own, Spans([own]), (0, len(text)), printed, book) == (said,)
    assert covered(own, Spans(sorted([own, *beside])), (0, len(text)), printed, book) == (said,)
    for window in ((0, said[0]), (said[1], len(text))):
        assert covered(own, Spans(sorted([own, *beside])), window, printed, book) == ()


def halves(start, end):
    middle = (start + end) // 2
    return (start, middle), (middle, end)


def test_spans_that_touch_are_one(book):
    text = critic("nothing of it")
    own, affair = match(text, GOLD), place(text, "affair")
    beside = [Match(*span, 1, 2, 100.0, 1, True, True, False, False) for span in halves(*affair)]
    assert covered(own, Spans(sorted([own, *beside])), (0, len(text)), SourceText(text), book) == (affair,)


def test_a_phrase_that_touches_the_quotation_is_beside_it(book):
    text = "He says “counting the lamps” of it."
    printed, (said,) = SourceText(text), SourceText(text).quoted
    for low, high in ((0, said[0]), (said[1], len(text))):
        own = Match(low, high, 1, 2, 100.0, 14, True, True, False, False)
        assert covered(own, Spans([own]), (0, len(text)), printed, book) == (
            place(text, "counting the lamps"),
        )
    own = Match(0, said[0] + 1, 1, 2, 100.0, 14, True, True, False, False)
    assert covered(own, Spans([own]), (0, len(text)), printed, book) == ()


def test_what_follows_without_a_space_is_the_rest_of_the_quotation(book):
    other = "He walked home along the wall."
    text = f"“{GOLD}{other}” So it ends."
    assert COVERED in hidden(book, text, others=[match(text, other, 2, 3)])


def test_marks_that_open_where_the_quotation_ends_do_not_hold_it(book):
    text = "It ends “and so he went away” again."
    printed, ((low, high),) = SourceText(text), SourceText(text).quoted

    def told(one, other):
        own, beside = (Match(*span, first, first + 1, 100.0, 9, True, True, False, False)
                       for span, first in ((one, 1), (other, 2)))  # fmt: skip
        return covered(own, Spans(sorted([own, beside])), (0, len(text)), printed, book) == (other,)

    assert told((low, low + 3), (high - 4, high))
    assert not told((0, low), (high - 4, high))
    assert not told((low, low + 3), (high, len(text)))


def test_of_a_saying_that_reaches_into_the_window_only_what_lies_in_it_counts(book):
    run = "quay thought of counting the lamps"
    text = critic(f"when we at last find that {run} is all he has in mind and that he says it of them both")
    own, printed = match(text, GOLD), SourceText(text)
    start = text.rindex(run)
    end = start + len(run)
    inside = (start + 5, end - 5)
    assert covered(own, Spans([own]), inside, printed, book) == (inside,)
    for window in ((start - 9, start), (start - 9, start - 2), (end, end + 9), (end + 2, end + 9)):
        assert covered(own, Spans([own]), window, printed, book) == ()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("“Of the keeper’s ‘counting the lamps’ nothing more is said by him”", "‘[…]’ nothing"),
        ("“Of the keeper’s ‘the lamps’ nothing more is said by him”", "‘the lamps’ nothing"),
        ("“Of the keeper and of “counting the lamps” nothing more is said", "of “[…]” nothing"),
        ("‘Of the keeper’s “counting the lamps” nothing more is said’", "“[…]” nothing"),
        ("\"Of the keeper's 'counting the lamps' nothing more is said by him\"", "'[…]' nothing"),
    ],
)
def test_a_phrase_between_nested_marks_is_taken_up(book, said, shown):
    text = f"“{GOLD}” So it begins. {said}, and so it ends."
    assert shown in hidden(book, text)


def test_the_rest_of_the_marks_that_hold_the_quotation_is_looked_at(book):
    """A critic who is quoted by another one quotes the novel, and goes on between the same marks."""
    text = f"“He tells us: ‘{GOLD}’ And of this ‘counting the lamps’ he makes much, as everybody has.”"
    assert "of this ‘[…]’ he makes" in hidden(book, text)
    run = "quay thought of counting the lamps"
    longer = f"“He tells us: {GOLD} And of this {run} he makes much, as everybody has who read the book.”"
    assert "of this […] he makes" in hidden(book, longer)
    assert hidden(book, longer).count(GOLD) == 1

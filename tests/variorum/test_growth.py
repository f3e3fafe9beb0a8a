"""What reads somebody's text makes calls in proportion to the text, also where the text repeats itself."""

import re

import pytest

from common.texts import diff as changes_module
from common.texts import markdown
from common.texts.diff import changes
from retrieval.engine.quotations import quoted
from retrieval.engine.quotations.cleaning import clean
from retrieval.engine.quotations.finding import find
from retrieval.engine.text import sentences as text
from retrieval.engine.text.reading import prepare
from tests.calls import calls

GROWTH, TIMES = 2.4, 60
SAID = [
    f"The {kind} lamp stood by door {number} of room {kind}{number} until somebody came and took it away"
    for kind in ("red", "blue", "old", "new", "tall", "low", "dim", "cold", "warm", "far")
    for number in range(12)
]
BOOK = ". ".join(SAID) + "."
SENTENCES = text.segment(BOOK).sentences


def quoting(frame):
    return lambda times: (" ".join(frame.format(n=n, said=SAID[n]) for n in range(times)), BOOK, SENTENCES)


def repeated(unit):
    return lambda times: (unit * times,)


CASES = {
    "quotations": (find, quoting("Critic {n} observes that “{said}” and so on, says he, in the end.\n\n")),
    "quotations in one paragraph": (find, quoting("Critic {n} observes that “{said}” and so on, says he.")),
    "quotations in single marks": (find, quoting("Critic {n} says ‘{said}’ and “thus” he goes on to say.")),
    "unmarked paragraphs": (find, quoting("Critic {n} observes this of it.\n\n{said}.\n\nWhich is so.\n\n")),
    "words that came between equal ones": (changes, lambda times: ("a " * 4 * times, "b a " * 4 * times)),
    "paragraphs that came between": (changes, lambda times: ("a\n\n" * 9 * times, "b\n\na\n\n" * 9 * times)),
    "marks within marks": (quoted.stretches, lambda times: ("“a b” ‘c d’ " * times, [(0, 12 * times)])),
    "marks": (text.segment, repeated("! ? ")),
    "paragraphs": (text.segment, repeated("Contents\n\nNotes\n\n[1] a\n\n* * *\n\n")),
    "lines": (prepare, repeated("CHAPTER I\n12\nA word-\nand more\n\n")),
    "artefacts": (clean, repeated("a-\nb (p. 1, passim) _A_ [1] {2} (A 3)\nAND 9\n")),
    "marks of Markdown": (markdown.html, repeated("*a **b `c` [d](https://e) > # 1. - \n1. f\n\n")),
}


@pytest.mark.parametrize("name", CASES)
def test_calls_grow_with_the_text(name):
    function, made_of = CASES[name]
    function(*made_of(2))  # what is made once, such as a cache, counts for neither
    once, twice = (calls(function, *made_of(times)) for times in (TIMES, 2 * TIMES))
    assert twice <= GROWTH * once + 100, f"{once:,} calls, and {twice:,} for twice the text"


def test_sentences_are_looked_for_in_each_character_once(monkeypatch):
    class Seen:
        looked = 0

        def search(self, text, start, end):
            self.looked += end - start
            return re.compile(r"[^\W_]").search(text, start, end)

    seen = Seen()
    monkeypatch.setattr(text, "_ALPHANUMERIC", seen)
    said = "! " * 500 + "End of it."
    assert text.segment(said).sentences
    assert seen.looked <= len(said)


def test_a_text_of_many_changed_paragraphs_is_aligned_up_to_a_bound(monkeypatch):
    """Pairs of equal words are gone through once for every block of them, so a whole text has a bound."""
    before = "\n\n".join(f"the old lamp of house {n} by the quay" for n in range(3))
    after = before.replace("old", "new")
    one_paragraph = changes_module.work(before.split("\n\n")[0].split(), after.split("\n\n")[0].split()) * 9
    monkeypatch.setattr(changes_module, "MOST_STEPS", 2 * one_paragraph)
    assert [len(paragraph) for paragraph in changes(before, after)] == [4, 4, 2]

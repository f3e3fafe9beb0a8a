"""How much has to be the book's: at the border of words and likeness, after a misquotation, in an appendix."""
# ruff: noqa: E501  (a quotation reads better on one line)

import pytest

from retrieval.engine.quotations import borders
from retrieval.engine.quotations.alignment import shared_runs
from retrieval.engine.quotations.finding import REASONS, find
from retrieval.engine.quotations.matching import LEAST_TOKENS, least_score, similarity
from retrieval.engine.quotations.pairing import BookText, SourceText
from retrieval.engine.text.sentences import segment
from tests.retrieval import real_texts

BOOK = """I had been used to the company of grown people who talked of ships and of weather, and of the sea in a gale, and of what it had done to them. The lamps were lit along the quay, one by one. It would not be so dark a night for sailing: the moon was up, and the pilot had gone out before it. Nobody asked him what he thought of it, and he did not say. The tide came in at its hour, and nobody thanked it. She counted the boats that came home, and she never told anybody the number.
"""
SENTENCES = segment(BOOK).sentences
BEFORE = "The author was a lonely man. Of his childhood he says what everybody remembers. "
BEHIND = " That is the whole of the book in a sentence. It is a sad one. Other critics have missed it."
RUN = "I had been used to the company of grown people who talked of ships and of weather"


def look(printed, before=BEFORE, behind=BEHIND):
    return find(before + printed + behind, BOOK, SENTENCES)


class TestAtTheBorder:
    def test_fewer_words_have_to_be_more_alike(self):
        asked = [least_score(words, whole=True) for words in range(8, 20)]
        assert asked == [90, 88, 86, 84, 82, 80, 80, 80, 80, 80, 80, 80]
        assert [least_score(words, whole=False) for words in (8, 9, 10, 14, 15)] == [90, 88, 88, 88, 80]

    def test_a_sentence_of_everyday_words_that_is_a_little_like_one_of_the_book(self):
        printed = "It would not be so dark a life for me."
        said = similarity(printed, "It would not be so dark a night for sailing:")
        assert (said, len(printed.split())) == (80, 10)
        findings = look(f"“{printed}”")
        assert findings.found == []
        assert [(each.printed, each.reason) for each in findings.dropped] == [(printed, "too-little")]

    def test_as_short_a_one_with_a_word_altered_is_found(self):
        findings = look("“The tide came in at its hour, and no one thanked it.”")
        [found] = findings.found
        assert 90 < found.score < 100

    def test_two_words_altered_in_a_long_one_are_as_before(self):
        findings = look("“She counted the ships that came home, and she never told a soul the number.”")
        assert [round(each.score) for each in findings.found] == [88]


class TestMisquotedBehindALongRun:
    @pytest.mark.parametrize(
        "behind",
        [
            ", extraordinarily of the incomprehensibilities and disproportionately in a preposterousness.",
            ", and uncomprehendingly of the disproportionately in preposterousness unremembered, gale.",
        ],
    )
    def test_the_run_is_found_where_all_between_the_marks_is_too_different(self, behind):
        assert similarity(RUN + behind, BOOK[: SENTENCES[0][1]]) < 80
        [found] = look(f"“{RUN}{behind}”").found
        assert found.printed.startswith(RUN)
        assert (found.first, found.size) == (0, 1)
        assert found.score == 100

    def test_without_marks_it_is_listed_and_not_found(self):
        behind = (
            ", extraordinarily of the incomprehensibilities and disproportionately in a preposterousness."
        )
        findings = look(RUN + behind)
        assert findings.found == []
        assert [each.reason for each in findings.dropped] == ["unmarked"]

    def test_a_shorter_run_is_listed(self):
        findings = look("“It would not be so dark a night for sailing with him by the pale and unaccountable candlelight of our grandmothers.”")  # fmt: skip
        assert findings.found == []
        assert [each.reason for each in findings.dropped] == ["open"]


class TestNothingSeenGoesUnsaid:
    def test_a_long_run_between_marks_that_nothing_names(self):
        printed, book = SourceText(f"{BEFORE}“{RUN}.”{BEHIND}"), BookText(BOOK, SENTENCES)
        runs = shared_runs(printed.words, book.words)
        [said] = borders._passed_over(runs, [], [], printed)
        assert (said[2], said[3]) == (RUN, "open")
        assert borders._passed_over(runs, [], [said], printed) == []

    def test_shorter_ones_and_those_without_marks_are_no_news(self):
        words = RUN.split()
        for text in (f"{BEFORE}{RUN}.{BEHIND}", f"{BEFORE}“{' '.join(words[: LEAST_TOKENS - 1])}.”{BEHIND}"):
            printed, book = SourceText(text), BookText(BOOK, SENTENCES)
            runs = shared_runs(printed.words, book.words)
            assert runs
            assert borders._passed_over(runs, [], [], printed) == []

    def test_every_reason_has_its_words(self):
        assert {"too-little", "open", "overlaps"} <= set(REASONS)


class TestAppendixOfReadings:
    LINES = [
        "The first edition prints “The tide came in at its hour, and nobody thanked it.” Later editions follow it.",
        "Here the editors have been misled. “Nobody asked him what he thought of it, and he did not say.” This is a misprint that was never corrected.",
        "We read “She counted the boats that came home, and she never told anybody the number.” All editions have it so, and no emendation is wanted.",
        "In the third edition the stop is corrected, and both readings are given by the last of the editors.",
    ]

    def test_what_an_appendix_quotes_line_by_line_is_set_aside(self):
        findings = find("\n\n".join(self.LINES), BOOK, SENTENCES)
        assert findings.found == []
        assert [each.reason for each in findings.dropped] == ["readings"] * 3

    def test_the_same_lines_far_from_it_are_quotations(self):
        between = "\n\n".join(
            f"He wrote {n} pages on the weather and never once looked up." for n in range(120)
        )
        findings = find(
            "\n\n".join([*self.LINES, between, f"He says “{RUN}.” It is enough."]), BOOK, SENTENCES
        )
        assert [each.printed for each in findings.found] == [f"{RUN}."]
        assert [each.reason for each in findings.dropped] == ["readings"] * 3

    def test_one_who_speaks_of_an_edition_once_and_again_compares_none(self):
        before = "The second edition was sold in a year. No editor has asked why. "
        assert len(look("“The tide came in at its hour, and nobody thanked it.”", before=before).found) == 1

    @real_texts.needed
    def test_the_appendix_of_a_real_critic_and_nothing_but_it(self):
        critic = "austen_leigh_1913_life_and_letters"
        begins = real_texts.text(f"criticism/{critic}.txt").index(
            "_The Text of Jane Austen's Novels._\n\nIn the"
        )
        found = real_texts.findings(critic, "pride_and_prejudice")
        assert found.found
        assert all(each.start < begins for each in found.found)
        assert all(each.start > begins for each in found.dropped if each.reason == "readings")

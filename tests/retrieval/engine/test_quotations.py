"""Where a critic quotes a book: small books, real shapes."""
# ruff: noqa: E501  (a quotation reads better on one line)

import pytest

from common.errors import BadInput
from retrieval.engine.quotations.finding import REASONS, find
from retrieval.engine.quotations.matching import count_tokens
from retrieval.engine.quotations.quoted import stretches
from retrieval.engine.text.sentences import segment

BOOK = """CHAPTER I

There are two ways of entering the town of Wathby, and the inhabitants recommend neither. The first is by the hill. The second is by the sands, which are open for five hours in the day and close without notice.

“I have ruled the lines for eleven winters, and nobody has asked me for whom,” said Judith. “My father had the credit of the Tables; he had it in good faith. I never grudged it him.”

Mr. Crale, who printed the Tables every year upon his own press, thought it hardly fair that a daughter should rule lines for nothing. He said so to the schoolmaster, who said that it was very likely so.

CHAPTER II

The tide came in at its hour, and nobody thanked it. All that spring the almanac hung upon the nail, and all the summer, with the error in it, and people came in with their hands wet and turned it to the day. She had known about the eleven minutes, if she had only known that she knew.

A person upon the bank believes the water to be at rest. It is nothing of the kind. The force which was urging it has been for a moment exactly answered by another.

The coroner desired to be told what a calculation was, and by whom it had been made. Nobody in the room could tell him, except the one person whom nobody had thought of asking, and she sat by the window with her gloves on. The rider was written out by the foreman of the jury, who was the ostler of the Mermaid, and it was read aloud twice. After that the candles were brought in. It rained upon the quay until morning, and the packet lay off the bar with her lights burning and did not come in.
"""
SENTENCES = segment(BOOK).sentences
BEFORE = "Wathby is a place of habits, as every critic says. Its historian was Hallam, who lived inland. "
BEHIND = " That is all we are told. It is enough, and the next chapter says why. Few readers object."


def look(printed, before=BEFORE, behind=BEHIND):
    return find(before + printed + behind, BOOK, SENTENCES)


def only(findings):
    assert len(findings.found) == 1, findings
    return findings.found[0]


def gold(quotation):
    sentences = SENTENCES[quotation.first : quotation.first + quotation.size]
    return " ".join(BOOK[start:end] for start, end in sentences)


class TestFinding:
    def test_a_whole_sentence(self):
        found = only(
            look(
                "He begins: “There are two ways of entering the town of Wathby, and the inhabitants recommend neither.”"
            )
        )
        assert (
            gold(found)
            == "There are two ways of entering the town of Wathby, and the inhabitants recommend neither."
        )
        assert found.score == 100
        assert found.left[-1] == "He begins:"
        assert found.right[0] == "That is all we are told."
        assert found.why == (
            "Printed between quotation marks: the whole of sentence 1 of the book, QRatio 100.0."
        )

    def test_offsets_give_what_is_printed_without_its_marks(self):
        source = BEFORE + "He begins: “There are two ways of entering the town of Wathby.”" + BEHIND
        found = only(find(source, BOOK, SENTENCES))
        assert found.printed == source[found.start : found.end]
        assert found.printed.strip(".") == "There are two ways of entering the town of Wathby"

    def test_a_part_of_a_sentence_has_the_whole_sentence_for_gold(self):
        found = only(look("We see “people came in with their hands wet and turned it to the day” again."))
        assert gold(found).startswith("All that spring the almanac hung")
        assert (found.left[-1], found.right[0]) == ("We see", "again.")
        assert "part of sentence" in found.why

    @pytest.mark.parametrize("marks", ["“{}”", '"{}"', "‘{}’", "'{}'", "«{}»"])
    def test_every_kind_of_mark(self, marks):
        quoted = marks.format("The tide came in at its hour, and nobody thanked it.")
        found = only(look(f"The refrain is {quoted}"))
        assert found.printed.startswith("The tide")
        assert found.left[-1] == "The refrain is"

    def test_altered_words_in_square_brackets(self):
        found = only(
            look("“[She] had known about the eleven minutes, if [Judith] had only known that she knew.”")
        )
        assert gold(found).startswith("She had known about the eleven minutes")

    def test_an_ellipsis_inside(self):
        found = only(
            look(
                "“All that spring the almanac hung upon the nail ... and people came in with their hands wet.”"
            )
        )
        assert found.size == 1
        assert "with words left out" in found.why

    def test_an_ellipsis_over_a_sentence_takes_that_sentence_in(self):
        found = only(
            look(
                "“A person upon the bank believes the water to be at rest.... The force which was urging it has been for a moment exactly answered by another.”"
            )
        )
        assert found.size == 3

    def test_a_block_quotation_is_one_quotation(self):
        block = "\n\nA person upon the bank believes the water to be at rest. It is nothing of the kind. The force which was urging it has been for a moment exactly answered by another.\n\n"
        found = only(look(block))
        assert found.size == 3
        assert found.why.startswith("Printed as a block")
        assert found.left[-1] == "Its historian was Hallam, who lived inland."

    def test_a_quotation_the_critic_interrupts(self):
        found = only(
            look(
                "“I have ruled the lines for eleven winters,” she tells them, “and nobody has asked me for whom.”"
            )
        )
        assert gold(found).startswith("“I have ruled the lines")

    def test_a_page_number_of_the_critics_book_inside(self):
        found = only(look("“A person upon the bank believes the {73} water to be at rest.”"))
        assert found.score == 100
        assert "{73}" in found.printed

    def test_a_misprinted_sentence_is_found_by_qratio(self):
        found = only(
            look(
                "“Mr. Crate, whom printed teh Table ever year uppon his one press, through it hardy fare that the daughter shall rule line for nothing.”"
            )
        )
        assert gold(found).startswith("Mr. Crale, who printed")
        assert 80 <= found.score < 100

    @pytest.mark.parametrize(
        "printed",
        [
            "The tide came in at its hour, and nobody thanked it",
            "The tide came in, and nobody thanked it",
            "Nobody in the room could tell him,",
        ],
    )
    def test_ten_tokens_are_enough_and_words_are_not_counted(self, printed):
        findings = look(f"We read: “{printed}” he says.")
        assert len(findings.found) == (count_tokens(printed) >= 10)

    def test_a_part_of_a_sentence_with_a_word_left_out_and_one_cut_in_two(self):
        found = only(look("He ends where “the pack-et lay off the bar with lights burning” all night."))
        assert gold(found).startswith("It rained upon the quay")
        assert "part of sentence" in found.why

    def test_a_speech_without_the_books_words_who_speaks(self):
        found = only(
            look(
                "“I have ruled the lines for eleven winters, and nobody has asked me for whom. My father had the credit of the Tables.”"
            )
        )
        assert found.printed.startswith("I have ruled")
        assert found.size == 2

    def test_what_the_critic_begins_a_sentence_with_parts_two_quotations(self):
        findings = look(
            "He says: “I never grudged it him.” Mr. Crale “thought it hardly fair that a daughter should rule lines for nothing.”"
        )
        assert only(findings).printed.startswith("thought it hardly fair")
        # The sentence of the book begins with “Mr. Crale”: beside the gap it would tell.
        assert findings.found[0].left[-2:] == ("He says:", "“I never grudged it him.”")

    def test_a_short_piece_before_the_critics_interruption(self):
        found = only(
            look(
                "“The force urging it,” as we read further on, “has been for a moment exactly answered by another.”"
            )
        )
        assert found.printed.startswith("The force urging it")
        assert found.left[-1] == "Its historian was Hallam, who lived inland."
        assert found.score > 90, "his interruption is none of the words compared"

    def test_the_critics_own_lead_in_is_not_the_quotation_even_in_the_books_words(self):
        found = only(
            look(
                "Of the ostler of the Mermaid “and it was read aloud twice. After that the candles were brought in.”"
            )
        )
        assert found.printed.startswith("and it was read aloud")

    def test_the_same_place_quoted_far_apart_is_two_excerpts(self):
        quoted = "He says: “The tide came in at its hour, and nobody thanked it.”"
        source = (
            (BEFORE + quoted + BEHIND)
            + " So much for that, he adds. And so on he goes." * 4
            + (BEFORE + quoted + BEHIND)
        )
        found = find(source, BOOK, SENTENCES).found
        assert [(each.first, each.size) for each in found] == [(found[0].first, 1)] * 2


class TestContext:
    QUOTED = "“The tide came in at its hour, and nobody thanked it”"

    def test_four_sentences_a_side_at_most(self):
        found = only(
            look(
                self.QUOTED,
                "One is. Two is. Three is. Four is. Five: ",
                ". Six is. Seven is. Eight is. Nine is. Ten is.",
            )
        )
        assert found.left == ("Two is.", "Three is.", "Four is.", "Five:")
        assert found.right == ("Six is.", "Seven is.", "Eight is.", "Nine is.")

    def test_the_rest_of_the_critics_sentence_is_one_of_the_four(self):
        found = only(look(self.QUOTED, "One is. When he writes ", " he is at his best. Six is."))
        assert found.left == ("One is.", "When he writes")
        assert found.right == ("he is at his best.", "Six is.")

    @pytest.mark.parametrize("citation", ["(p. 41)", "(112)", "(Hallam 41)", "(_Tide_, ch. ii)", "[12]"])
    def test_page_references_beside_the_gap_are_cut(self, citation):
        found = only(look(self.QUOTED, "One is {40} here. He writes: ", f" {citation}. Six is."))
        assert found.left == ("One is here.", "He writes:")
        assert found.right == ("Six is.",)

    @pytest.mark.parametrize(
        ("before", "behind", "left", "right"),
        [
            ("He calls it ‘flat’ (", "), and so it is.", "He calls it ‘flat’ (", "), and so it is."),
            ("He calls it 'flat'--", "--and so it is.", "He calls it 'flat'--", "--and so it is."),
            ("He calls it 'flat': ", " “Flat” it is.", "He calls it 'flat':", "“Flat” it is."),
        ],
    )
    def test_the_critics_own_brackets_and_marks_stay(self, before, behind, left, right):
        found = only(look(self.QUOTED, "One is. " + before, behind))
        assert (found.left[-1], found.right[0]) == (left, right)

    def test_the_number_of_a_paragraph_is_no_sentence(self):
        found = only(look(self.QUOTED, "One is.\n\n2. He writes: ", ". Six is."))
        assert found.left == ("One is.", "He writes:")

    def test_no_context_crosses_a_heading(self):
        found = only(
            look(self.QUOTED, "One is.\n\nCHAPTER II\n\nHe writes: ", ". Six is.\n\nCHAPTER III\n\nSeven is.")
        )
        assert found.left == ("He writes:",)
        assert found.right == ("Six is.",)

    def test_another_quotation_of_the_book_keeps_its_place(self):
        other = "“A person upon the bank believes the water to be at rest.”"
        findings = look(f"He says {self.QUOTED}; and elsewhere he says that {other}")
        assert len(findings.found) == 2
        assert any("upon the bank" in each for each in findings.found[0].right)


class TestCovering:
    """Nothing in a context gives the quoted sentences away."""

    SENTENCE = "“All that spring the almanac hung upon the nail, and all the summer, with the error in it, and people came in with their hands wet and turned it to the day.”"

    def test_a_phrase_taken_up_again_between_marks(self):
        found = only(look(f"He says: {self.SENTENCE} This “error in it” is ours, and “the error” too."))
        assert found.right[0] == "This “[…]” is ours, and “the error” too."
        assert found.why.endswith("Where the context prints words of it again, […] stands for them.")

    def test_a_run_of_words_within_a_longer_phrase(self):
        found = only(
            look(
                f"He says: {self.SENTENCE} What he must have meant is only this: “a hand and turned it to the day”."
            )
        )
        assert found.right[1] == "“a hand […]”."

    def test_a_phrase_taken_up_with_a_word_altered(self):
        found = only(look(f"He says: {self.SENTENCE} Hallam read “with its error in it”, and so do I."))
        assert found.right[0] == "Hallam read “[…]”, and so do I."

    def test_a_phrase_of_another_sentence_stays(self):
        found = only(look(f"He says: {self.SENTENCE} The “very large ledger” is ours."))
        assert found.right[0] == "The “very large ledger” is ours."
        assert "[…]" not in found.why

    def test_a_sentence_quoted_again_beside_its_block(self):
        block = "\n\nA person upon the bank believes the water to be at rest. It is nothing of the kind. The force which was urging it has been for a moment exactly answered by another.\n\n"
        again = "“The force which was urging it has been for a moment exactly answered by another”"
        large, small = look(
            f"{block}That is the whole of his physics. He writes {again}, and means it."
        ).found
        assert (large.size, small.size) == (3, 1)
        assert "He writes “[…]”, and means it." in large.right
        assert small.left[-2:] == ("That is the whole of his physics.", "He writes")
        assert not any("urging" in each for each in (*large.right, *small.left))

    def test_the_rest_of_a_quotation_parted_by_an_ellipsis_is_no_context(self):
        parted = "“There are two ways of entering the town of Wathby, and the inhabitants recommend neither.... It rained upon the quay until morning, and the packet lay off the bar with her lights burning.”"
        one, other = look(f"He begins: {parted}").found
        assert one.right[0] == "That is all we are told."
        assert other.left[-1] == "He begins:"


class TestDropping:
    def reasons(self, findings):
        assert findings.found == []
        assert {dropped.reason for dropped in findings.dropped} <= REASONS.keys()
        assert all(dropped.label == REASONS[dropped.reason] for dropped in findings.dropped)
        return [dropped.reason for dropped in findings.dropped]

    def test_fewer_than_ten_tokens(self):
        assert self.reasons(look("He knows “two ways of entering the town of Wathby” himself.")) == [
            "too-short"
        ]

    def test_a_critic_who_repeats_the_gold_in_his_own_sentence(self):
        again = " But if she had only known that she knew it, he says, nothing would be lost."
        findings = look(
            "“She had known about the eleven minutes, if she had only known that she knew.”" + again
        )
        assert self.reasons(findings) == ["repeats-gold"]

    def test_of_two_pieces_of_one_sentence_the_longer_is_an_excerpt(self):
        one, other = (
            "“All that spring the almanac hung upon the nail, and all the summer”",
            "“people came in with their hands wet and turned it to the day”",
        )
        findings = look(f"He says {one}. This is a very large claim to make of a nail. Then he says {other}.")
        assert only(findings).printed == one.strip("“”")
        assert findings.found[0].right[1:3] == ("Then he says “[…]”.", "That is all we are told.")
        assert [dropped.reason for dropped in findings.dropped] == ["same-place-in-context"]

    def test_the_readings_of_two_editions(self):
        assert (
            self.reasons(
                look(
                    "The first edition reads “The tide came in at its hour, and nobody thanked it,” where the second"
                    " has a stop too many: “The tide came in, at its hour; and nobody thanked it.”"
                )
            )
            == ["readings"] * 2
        )

    def test_nothing_but_the_quotation(self):
        assert self.reasons(look("“The tide came in at its hour, and nobody thanked it.”", "", "")) == [
            "no-context"
        ]

    def test_everyday_words_prove_nothing(self):
        assert (
            self.reasons(look("He told the vicar, who said that it was very likely so and went home to tea."))
            == []
        )

    def test_another_book_is_left_alone(self):
        findings = look(
            "“It is a truth universally acknowledged, that a single man must be in want of a wife.”"
        )
        assert findings == ([], [])

    def test_an_index_yields_nothing(self):
        entries = "\n\nINDEX\n\n" + "\n\n".join(
            f"“The tide came in at its hour, and nobody thanked it”, {page}" for page in (3, 9, 27)
        )
        assert find(BEFORE + entries, BOOK, SENTENCES) == ([], [])

    @pytest.mark.parametrize("source", ["", "So.", "Nothing here is Hallam's. All of it is ours."])
    def test_a_source_that_quotes_nothing(self, source):
        assert find(source, BOOK, SENTENCES) == ([], [])


class TestEditions:
    def test_the_book_itself_is_refused(self):
        with pytest.raises(BadInput, match="the book itself or an edition of it: 100%"):
            find(BOOK, BOOK, SENTENCES)

    def test_an_edition_with_an_introduction_is_refused(self):
        with pytest.raises(BadInput, match="a critic's text that quotes the book was expected"):
            find(BEFORE + "\n\n" + BOOK, BOOK, SENTENCES)

    def test_a_long_run_of_sentences_is_a_reprint(self):
        book = " ".join(
            f"On the day numbered {number} the packet came in at hour {number % 12}." for number in range(90)
        )
        sentences = segment(book).sentences
        copied = book[: sentences[49][1]]
        own = "The log is dull reading, and it is meant to be so by its author. " * 40
        findings = find(f"{own}“{copied}” {own}", book, sentences)
        assert findings.found == []
        assert [dropped.reason for dropped in findings.dropped] == ["reprint"]


class TestBooks:
    def test_of_one_sentence_in_capitals_only(self):
        book = "THE RAIN FELL UPON THE OLD TOWN AND NOBODY IN THE STREET SPOKE A WORD"
        found = only(find(BEFORE + f"“{book.lower()}” he says." + BEHIND, book, [(0, len(book))]))
        assert (found.first, found.size) == (0, 1)

    def test_a_sentence_that_comes_many_times_is_found_at_its_first_place(self):
        book = "The rain fell upon the old grey town and nobody in the long street spoke. " * 50
        found = only(
            find(
                BEFORE
                + "“The rain fell upon the old grey town and nobody in the long street spoke.”"
                + BEHIND,
                book,
                segment(book).sentences,
            )
        )
        assert (found.first, found.size) == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said “so” and “no”.", ["so", "no"]),
        ('He said "so" and "no".', ["so", "no"]),
        ("He said 'so' and left the ship's boat.", ["so"]),
        ("The cousins' house was 'the cousins' house' to all.", ["the cousins' house"]),
        ("“He said ‘so’ to me.”", ["He said ‘so’ to me."]),
        ("“A paragraph that its mark does not close", ["A paragraph that its mark does not close"]),
        (
            "'She is as obstinate as--' He stopped. It was --'so obstinate'-- again.",
            ["She is as obstinate as--", "so obstinate"],
        ),
        ("'Tis nothing, and 'tis late.", []),
        ("No marks at all.", []),
    ],
)
def test_quoted_stretches(text, expected):
    assert [text[start:end] for start, end in stretches(text, [(0, len(text))])] == expected

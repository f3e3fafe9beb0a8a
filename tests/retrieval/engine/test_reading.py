"""From a plain text to the stored text."""

import time

import pytest

from common.errors import BadInput
from retrieval.engine.text.reading import prepare

PROSE = (
    "The packet had been due at noon, and it was now past four; nobody on\n"
    "the quay had said so aloud, because to say so aloud was held to bring\n"
    "the thing about."
)


class TestGutenberg:
    HEADER = "The Project Gutenberg EBook\n\n*** START OF THIS PROJECT GUTENBERG EBOOK A TALE ***\n\n"
    FOOTER = "\n\n*** END OF THIS PROJECT GUTENBERG EBOOK A TALE ***\n\nLicence.\n"

    def test_removes_both_ends_and_says_so(self):
        prepared = prepare(self.HEADER + "It rained.\n" + self.FOOTER)
        assert prepared.text == "It rained."
        assert prepared.notes == (
            "Removed a Project Gutenberg header of 3 lines.",
            "Removed a Project Gutenberg footer of 3 lines.",
        )

    def test_removes_the_one_end_that_is_there(self):
        assert prepare(self.HEADER + "It rained.").text == "It rained."
        assert prepare("It rained." + self.FOOTER).text == "It rained."

    def test_leaves_a_text_alone_that_only_speaks_of_gutenberg(self):
        text = "He had read it on Project Gutenberg, he said."
        assert prepare(text) == (text, ())


class TestLines:
    def test_a_heading_that_goes_on_in_the_next_line_swallows_no_word(self):
        text = "BOOK II. (QUARTO), CHAPTER III. (LAMP), that is, OLD\nLAMP.--Another is the quay's own.\n"
        assert prepare(f"{PROSE}\n\n{text}\n{PROSE}").text.split("\n\n")[1:3] == [
            "BOOK II. (QUARTO), CHAPTER III. (LAMP), that is, OLD LAMP.",
            "--Another is the quay's own.",
        ]

    def test_joins_hard_wraps_and_keeps_paragraphs_apart(self):
        text = prepare(PROSE + "\n\n\n" + PROSE).text
        first, second = text.split("\n\n")
        assert first == second == PROSE.replace("\n", " ")

    def test_keeps_the_lines_of_verse(self):
        verse = "The tide came in,\nThe tide went out,\nAnd nobody thanked it."
        assert prepare(f"{PROSE}\n\n{verse}\n\n{PROSE}").text.split("\n\n")[1] == verse

    def test_joins_lines_that_were_wrapped_unevenly(self):
        first = "The lamps went out on the quay, one after the other. Nobody had asked\nthem to."
        second = "In the morning the boats were gone, and the men stood about upon the quay and looked.\nSo."
        assert prepare(f"{first}\n\n{second}").text.count("\n") == 2

    def test_a_heading_directly_above_prose_is_a_paragraph_of_its_own(self):
        assert prepare(f"CHAPTER I\n{PROSE}").text.split("\n\n")[0] == "CHAPTER I"

    def test_one_paragraph_a_line(self):
        line = (
            "It rained upon the town, and the town said nothing of it, as was its habit in such weather. " * 3
        )
        assert prepare(f"{line}\n{line}").text.count("\n\n") == 1

    def test_indented_beginnings_part_paragraphs_where_no_line_is_blank(self):
        text = prepare("  It rained upon the town.\nIt went on.\n  Nobody spoke.\nNobody had to.").text
        assert text.split("\n\n")[0].startswith("It rained")
        assert len(text.split("\n\n")) == 2

    def test_closes_a_word_the_typesetter_broke_and_keeps_a_hyphen_of_the_authors(self):
        text = prepare(
            "They spoke of worthlessness and of the well-known worth-\n"
            "lessness of a tide, and then they spoke again of seventy-\n"
            "six other things that nobody in the town had cared to hear about."
        ).text
        assert "known worthlessness of a tide" in text
        assert "seventy-six other" in text

    def test_keeps_italics(self):
        assert prepare("_You_ want to tell me.").text == "_You_ want to tell me."

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("a" * 300_000, id="one endless word"),
            pytest.param("a" + " " * 300_000 + "b.", id="one endless gap"),
            pytest.param("a\n" * 150_000, id="a word a line and no blank one"),
            pytest.param("a-\n" * 100_000, id="every word broken"),
        ],
    )
    def test_time_grows_with_the_text_and_not_with_its_square(self, text):
        before = time.process_time()
        prepare(text)
        # It takes a second or less; squared, many minutes.
        assert time.process_time() - before < 60

    def test_a_word_broken_over_three_lines_is_closed_twice(self):
        wide = "It was said of him that he had been born in the year of the great flood, and never "
        text = prepare(f"{wide}un-\nbeliev-\nably so. Nobody was unbeliev. Nobody was unbelievably so.").text
        assert "never unbelievably so." in text


class TestPages:
    BROKEN = "He asked whether the packet, which had been due at noon, and which my\n\n{}\n\ncousin had met."

    def test_closes_a_paragraph_over_a_page_mark_and_keeps_the_mark(self):
        prepared = prepare(self.BROKEN.format("{84}"))
        assert prepared.text.endswith("which my {84} cousin had met.")
        assert prepared.notes == ("Closed 1 paragraph that a page number had broken.",)

    def test_a_bare_number_inside_a_paragraph_goes(self):
        assert "which my cousin" in prepare(self.BROKEN.format("84")).text

    def test_running_heads_with_numbers_go_and_numbered_chapters_stay(self):
        pages = "\n\n".join(f"{PROSE}\n\n{number} THE HARBOUR TOWN" for number in (12, 14, 16))
        prepared = prepare(pages)
        assert "HARBOUR" not in prepared.text
        assert "Removed 3 running heads of pages." in prepared.notes
        chapters = "\n\n".join(f"Chapter {number}\n\n{PROSE}" for number in (1, 2, 3))
        assert prepare(chapters).text.count("Chapter") == 3

    def test_nothing_is_joined_when_not_asked(self):
        assert "\n\n{84}\n\n" in prepare(self.BROKEN.format("{84}"), marks_pages=False).text


def test_a_text_of_nothing_but_a_frame_is_refused():
    with pytest.raises(BadInput, match="no words"):
        prepare(
            "*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n*** END OF THE PROJECT GUTENBERG EBOOK X ***"
        )

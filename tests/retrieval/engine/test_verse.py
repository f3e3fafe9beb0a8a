"""Line breaks of the author and of the typesetter, also where the typesetter wrapped unevenly."""

from textwrap import wrap

import pytest

from retrieval.engine.text.reading import prepare
from retrieval.engine.text.sentences import segment

STORY = (
    "The lamps along the quay went out one after the other, and nobody in the town remembered asking "
    "for it, though Mr. Tarn, who kept them, was found asleep behind the sail loft with his boots in "
    "his arms and a great look of peace upon his face. He said that the sea had told him to rest, and "
    "that he had never in his life refused a lady. The magistrate did not laugh at this, because his "
    "brother had drowned in the spring, and because the oil of that year had been bought with the money "
    "of the widows and had been paid for twice."
)
SONG = (
    "The tide came in, the tide went out,\nAnd nobody thanked it;\n"
    "The keeper turned his lamp about\nAnd nobody blamed it."
)
MODERN = "        the tide came in\n        and nobody\n        thanked it, the lamp\n        turned"


def ragged(text, widths=(74, 52, 67, 44, 71, 58, 39, 69, 48)):
    """The text in lines of very different length, as no typesetter's measure gives them."""
    lines, rest, number = [], text, 0
    while rest:
        line = wrap(rest, widths[number % len(widths)])[0]
        lines.append(line)
        rest, number = rest[len(line) :].strip(), number + 1
    return "\n".join(lines)


def page(*paragraphs, lay=ragged):
    """Paragraphs among enough prose of the same kind to tell how the edition wraps."""
    return "\n\n".join([*[lay(STORY)] * 6, *paragraphs, lay(STORY)])


def even(text):
    return "\n".join(wrap(text, 72))


@pytest.mark.parametrize("lay", [ragged, even])
def test_prose_keeps_no_line_break(lay):
    text = prepare(page(lay=lay)).text
    assert text == "\n\n".join([STORY] * 7)
    assert not any("\n" in text[start:end] for start, end in segment(text).sentences)


@pytest.mark.parametrize(
    "paragraph",
    [
        "He went down to the quay at last to speak with\nMr. Tarn of it.",
        "They asked him what he had done\nwith the oil.",
        "“I was told to rest,” said the keeper of\nthe lamps, “and I have never\nin my life refused a lady.”",
        "Nobody laughed. The oil of\nThat Year was poor, and so was\nTarn, who sold the rest to the\nPells.",
    ],
)
def test_a_short_paragraph_that_is_wrapped_unevenly_is_prose(paragraph):
    assert prepare(page(paragraph)).text.split("\n\n")[6] == paragraph.replace("\n", " ")


@pytest.mark.parametrize("lay", [ragged, even])
@pytest.mark.parametrize(
    "verse",
    [
        SONG,
        "\n".join(f"    {line}" for line in SONG.split("\n")),
        MODERN,
        "“The tide came in,\nThe tide went out,\nAnd nobody thanked it.”",
    ],
    ids=["a song", "a song that stands in", "verse without capitals", "three short lines"],
)
def test_verse_keeps_its_lines(verse, lay):
    expected = "\n".join(line.strip() for line in verse.split("\n"))
    assert prepare(page(verse, lay=lay)).text.split("\n\n")[6] == expected


def test_a_narrow_paragraph_of_prose_on_an_even_page_is_prose():
    letter = (
        "He said that the sea had told him to\nrest, and that he had never in his\n"
        "life refused a lady, and that the\noil was poor."
    )
    assert "\n" not in prepare(page(letter, lay=even)).text.split("\n\n")[6]


class TestHeadingsAboveTheirText:
    RUN_IN = "BOOK I. (_Large_), CHAPTER {}. (_The Lamp_).--This lamp, among the"

    @pytest.mark.parametrize("number", ["I", "II", "III"])
    def test_a_heading_on_the_line_of_its_first_sentence_takes_none_of_it(self, number):
        heading = self.RUN_IN.format(number)
        text = prepare(
            page(
                f"{heading}\nKeepers of old vaguely known as the widow's lamp, was the\nfirst to go. It went."
            )
        ).text
        found = segment(text)
        assert [text[a:b] for a, b in found.headings] == [
            f"BOOK I. (_Large_), CHAPTER {number}. (_The Lamp_)."
        ]
        assert any(
            text[a:b].startswith("--This lamp, among the Keepers of old vaguely known")
            for a, b in found.sentences
        )

    def test_so_where_the_heading_explains_itself_in_small_letters(self):
        heading = "BOOK II. (_Small_), CHAPTER III. (_The Dark Lamp_), that is, _the lamp that lies_."
        found = segment(
            text := prepare(page(f"{heading}--This lamp went out in its first year, and stayed out.")).text
        )
        assert [text[a:b] for a, b in found.headings] == [heading]

    def test_a_title_over_two_lines_is_one_heading(self):
        title = "CHAPTER 56. Of the Less Honest Keepers of Lamps, and of the True\nPrice of Oil in the Town."
        found = segment(text := prepare(page(title, lay=even)).text)
        assert [text[a:b].split() for a, b in found.headings] == [title.split()]

    def test_a_line_that_goes_on_in_small_letters_is_no_heading(self):
        line = "Part One of his defence, as everybody now agreed upon the quay,\nwas long."
        assert prepare(page(line, lay=even)).text.split("\n\n")[6] == line.replace("\n", " ")

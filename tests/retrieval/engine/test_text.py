"""Sentences, headings, and what else is set aside."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.engine.text.sentences import segment


def sentences(text, **options):
    return [text[start:end] for start, end in segment(text, **options).sentences]


def tiles(text):
    found = segment(text)
    spans = sorted([*found.sentences, *found.headings, *((start, end) for start, end, _ in found.left_out)])
    at = 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        at = end
    assert not text[at:].strip()
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. Nobody spoke.", ["It rained.", "Nobody spoke."]),
        ("“It rains.” Nobody spoke.", ["“It rains.”", "Nobody spoke."]),
        ("(It rained.) Nobody spoke.", ["(It rained.)", "Nobody spoke."]),
        ("_It rained._ Nobody spoke.", ["_It rained._", "Nobody spoke."]),
        ("'So,' he said. 'Well?' 'Well.'", ["'So,' he said.", "'Well?'", "'Well.'"]),
        ("Mr. Garth met Mrs. Pell.", ["Mr. Garth met Mrs. Pell."]),
        ("Messrs. Crale and the Rev. A. B. Finch came.", ["Messrs. Crale and the Rev. A. B. Finch came."]),
        ("“Not I,” said I. He laughed.", ["“Not I,” said I.", "He laughed."]),
        ("On Sept. 6. the packet came.", ["On Sept. 6. the packet came."]),
        ("No. 97 was let. Vol. II was not.", ["No. 97 was let.", "Vol. II was not."]),
        ("“Oh!” said she, and went.", ["“Oh!” said she, and went."]),
        ('"Is it true?" Judith asked.', ['"Is it true?" Judith asked.']),
        ("“Is it true?” Mr. Crale asked. It was.", ["“Is it true?” Mr. Crale asked.", "It was."]),
        ("“Is it true?” He said nothing.", ["“Is it true?”", "He said nothing."]),
        ("He came--and went. All was well.", ["He came--and went.", "All was well."]),
        ("He came—And went.", ["He came—And went."]),
        ("He was gone.--She stayed.", ["He was gone.", "--She stayed."]),
        ("One.\n\nTwo without an end\n\nThree.", ["One.", "Two without an end", "Three."]),
    ],
)
def test_ends_of_sentences(text, expected):
    assert sentences(text) == expected
    tiles(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained; nobody spoke.", ["It rained;", "nobody spoke."]),
        ("He said: come in.", ["He said:", "come in."]),
        ("Well ... he went.", ["Well ...", "he went."]),
        ("Well . . . he went.", ["Well . . .", "he went."]),
        ("Well… he went.", ["Well…", "he went."]),
        ("Well.... He went.", ["Well....", "He went."]),
        ("“Well;” he went.", ["“Well;”", "he went."]),
        ("It was glad;--so were we.", ["It was glad;", "--so were we."]),
        ("At 10:30 it came.", ["At 10:30 it came."]),
    ],
)
def test_relics_ends(text, expected):
    assert sentences(text) == expected


def test_an_ellipsis_that_opens_a_sentence_stays_with_it():
    assert sentences("... and so it came. It went.") == ["... and so it came.", "It went."]


def test_offsets_survive_wrapped_lines_and_verse():
    text = "It rained upon\nthe town. Nobody\nspoke.\n\nThe tide came in,\nthe tide went out."
    assert sentences(text) == [
        "It rained upon\nthe town.",
        "Nobody\nspoke.",
        "The tide came in,\nthe tide went out.",
    ]


HEADINGS = [
    "Chapter 1", "CHAPTER I", "CHAPTER XXXVIII.", "Letter 2", "BOOK THE FIRST", "I", "II", "XIV.", "12",
    "PREFACE", "Epilogue", "THE STAND OF THE TIDE", "Chapter 3: The Packet", "CHAPTER IV. The Lodger",
    "THE END", "Finis", "'EMMA'", "‘THE TIDE’S STAND’",
]  # fmt: skip


@pytest.mark.parametrize("heading", HEADINGS)
def test_headings_are_no_sentences(heading):
    text = f"It rained upon the town.\n\n{heading}\n\nNobody spoke of it."
    found = tiles(text)
    assert [text[start:end] for start, end in found.headings] == [heading]
    assert len(found.sentences) == 2


def test_the_title_line_under_a_chapters_number_is_a_heading():
    text = "CHAPTER I\n\nIn which it rains\n\nIt rained. Nobody spoke."
    assert [text[start:end] for start, end in segment(text).headings] == ["CHAPTER I", "In which it rains"]
    joined = "CHAPTER I\nA SIXPENNY AUTHOR\n\nIt rained."
    assert [joined[start:end] for start, end in segment(joined).headings] == ["CHAPTER I\nA SIXPENNY AUTHOR"]


@pytest.mark.parametrize(
    "line",
    [
        "“STOP!”",
        "“JUDITH CRALE”",
        "R. W.",
        "Part of it was lost.",
        "Letter 2 never came, and he waited.",
        "I waited.",
        "NEVER!",
    ],
)
def test_prose_that_looks_like_a_heading_is_prose(line):
    text = f"It rained upon the town.\n\n{line}\n\nNobody spoke of it."
    assert segment(text).headings == []


@pytest.mark.parametrize(
    ("passage", "kind"),
    [
        ("* * * * *", "ornament"),
        ("{73}", "page number"),
        ("[Illustration: the quay]", "illustration"),
        ("*See the second edition.", "footnote"),
        ("[Transcriber's note: a word is lost.]", "transcriber's note"),
    ],
)
def test_what_is_no_part_of_the_work_is_left_out(passage, kind):
    text = f"It rained upon the town.\n\n{passage}\n\nNobody spoke of it."
    found = tiles(text)
    assert [(text[start:end], what) for start, end, what in found.left_out] == [(passage, kind)]
    assert len(found.sentences) == 2


def test_a_contents_list_ends_where_its_first_entry_comes_again():
    text = "CONTENTS\n\nI. The Quay 3\n\nII. The Packet 19\n\nI. The Quay\n\nIt rained. Nobody spoke."
    found = tiles(text)
    assert {kind for *_, kind in found.left_out} == {"contents"}
    assert sentences(text)[-2:] == ["It rained.", "Nobody spoke."]


def test_an_index_is_left_out_and_a_story_called_index_is_not():
    index = "It rained.\n\nINDEX\n\nCrale, 3, 41\n\nGarth, Judith, 12-14\n\nTides, 7\n\nWathby, _see_ Quay"
    assert [kind for *_, kind in tiles(index).left_out] == ["index"] * 5
    assert len(segment("INDEX\n\nIt rained upon the town.\n\nNobody spoke.\n\nIt went on.").sentences) == 3


def test_footnotes_behind_their_marks_are_left_out_and_a_page_mark_is_not():
    text = "It rained.[1] It went on.\n\n[1] So says the almanac.\n\n{14} Nobody spoke."
    found = tiles(text)
    assert [kind for *_, kind in found.left_out] == ["footnote"]
    assert len(found.sentences) == 3


def test_a_transcribers_note_at_the_end_runs_to_the_end():
    text = (
        "It rained. " * 9
        + "\n\nIt went on.\n\n" * 9
        + "A NOTE ON THE TEXT\n\nThe spelling was changed. So was this."
    )
    assert [kind for *_, kind in tiles(text).left_out] == ["transcriber's note"] * 2


def test_a_book_of_one_sentence_in_capitals_only():
    assert sentences("THE RAIN FELL UPON THE TOWN") == ["THE RAIN FELL UPON THE TOWN"]
    text = "CHAPTER I\n\nTHE RAIN FELL. NOBODY SPOKE.\n\nIT WENT ON."
    assert sentences(text) == ["THE RAIN FELL.", "NOBODY SPOKE.", "IT WENT ON."]


def test_fifty_thousand_sentences_without_a_paragraph():
    assert len(segment("It rained upon the town. " * 50_000).sentences) == 50_000


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="aB1.?!;:… \n\"'“”—-*[]{}()_", max_size=120))
def test_every_text_is_tiled(text):
    tiles(text)

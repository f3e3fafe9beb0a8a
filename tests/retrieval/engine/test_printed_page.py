"""What a printed page does that a rule once mistook: each fault in a small text of our own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.engine.text.headings import LONGEST
from retrieval.engine.text.sentences import segment


def read(text, **options):
    """The sentences, the headings, and what is set aside as (words, kind)."""
    found = segment(text, **options)
    return (
        [text[start:end] for start, end in found.sentences],
        [text[start:end] for start, end in found.headings],
        [(text[start:end], kind) for start, end, kind in found.left_out],
    )


PROSE = "It rained upon the town. Nobody spoke."
TALK = (
    "“The quay!--Such a quay!--I never saw so many boats--You must come, Mr. Tarn--Mrs. Pell will come "
    "--Everybody comes--The lamps are best--No, the sails are best--I dote upon a sail--Nothing is so "
    "wet as a sail.--But the sun--We shall all be burnt--I am quite ready to drop--Let us sit down at "
    "once.” "
)


class TestHeadings:
    @pytest.mark.parametrize(
        "paragraph",
        [
            TALK * 4,
            TALK,
            "_The quay lies empty in the rain. An old man comes from the left, with a lamp that he has "
            "forgotten to light, and sits down upon a coil of rope to wait for whatever may come._",
            "_The quay lies empty. An old man comes from the left._",
        ],
        ids=["a long page of talk", "talk", "a long page in italics", "two sentences in italics"],
    )
    def test_a_paragraph_of_sentences_under_a_heading_is_prose(self, paragraph):
        sentences, headings, aside = read(f"CHAPTER I\n\n{paragraph}\n\n{PROSE}")
        assert headings == ["CHAPTER I"]
        assert aside == []
        assert "".join("".join(sentences[:-2]).split()) == "".join(paragraph.split())

    def test_a_chapters_summary_is_set_aside_and_is_no_heading(self):
        summary = "A wet quay--The lamps go out--Mr. Tarn explains himself--The magistrate keeps his face"
        assert read(f"CHAPTER I\n\n{summary}\n\n{PROSE}")[1:] == (["CHAPTER I"], [(summary, "summary")])

    def test_a_long_title_page_is_front_matter(self):
        lines = [f"The Quay in its {number} Part, with Plates" for number in ("First", "Second", "Third")]
        page = "\n".join(lines * 3)
        assert len(page) > LONGEST
        assert read(f"{page}\n\nCHAPTER I\n\n{PROSE}")[2] == [(page, "front matter")]

    @pytest.mark.parametrize(
        "heading",
        [
            "CHAPTER 7. Of the Less Honest Keepers of Lamps, and of the True Price of Oil.",
            "CHAPTER 8. Of Lamps in Windows; in Boats; in Stone; in Weather; in Hands; in Dreams.",
            "CHAPTER 9. Does the Keeper Sleep at Night?—Will He Wake?",
            "CHAPTER X. In which a magistrate does not laugh, and nobody thinks the better of him.",
            "Erstes Kapitel", "Zweites Buch", "Drittes Kapitel. Die Lampen", "Einundzwanzigstes Kapitel",
            "Kapitel 3", "4. Kapitel", "Chapitre premier", "Livre II",
        ],
    )  # fmt: skip
    def test_a_chapters_title_is_no_sentence(self, heading):
        assert read(f"{PROSE}\n\n{heading}\n\n{PROSE}")[1] == [heading]

    @pytest.mark.parametrize(
        "line", ["Das erste Kapitel las er nie.", "Zweites Kapitel las er nie.", "Buch um Buch fiel."]
    )
    def test_a_sentence_about_a_chapter_is_a_sentence(self, line):
        assert read(f"{PROSE}\n\n{line}\n\n{PROSE}")[1] == []

    @pytest.mark.parametrize(
        "titles",
        [
            ["I. The Return", "II. A Lamp Is Lit", "III. The Return Again"],
            ["I The Old Lamp-Room Stair", "II The Little Window"],
            ["1. The quay", "2. The boats come home"],
            ["I", "II. The boats come home"],
        ],
    )
    def test_a_number_and_a_title_are_a_heading(self, titles):
        text = "\n\n".join(f"{title}\n\n{PROSE}" for title in titles)
        assert read(text)[1] == titles

    @pytest.mark.parametrize(
        "line",
        [
            "C. Harrow",
            "I saw him",
            "I. He went away.",
            "V. Marlow",
            "1. Bring oil, and trim the lamps.",
            "M. Paul",
        ],
    )
    def test_a_name_or_a_sentence_behind_a_numeral_is_none(self, line):
        assert read(f"{PROSE}\n\n{line}\n\n{PROSE}")[1] == []

    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(
            st.sampled_from(["I.", "CHAPTER II", TALK, PROSE, "_Rain._", "A--B--C--D", "THE END", "x" * 300])
        )
    )
    def test_no_heading_is_long(self, paragraphs):
        assert all(len(heading) <= LONGEST for heading in read("\n\n".join(paragraphs))[1])


class TestNotes:
    TEXT = (
        "He lit the lamp.* It went out.\n\n* The oil of that year was poor. So was the keeper.\n\n"
        "[Footnote 1: Tarn sold the rest of it.]\n\n[Footnote 2: The second edition has boots.--ED.]\n\n"
        "[Footnote 3: It was sold in barrels,\n\nand in bottles.]\n\nNobody spoke."
    )

    def test_the_authors_notes_are_notes_and_the_editors_are_told_from_them(self):
        sentences, _, aside = read(self.TEXT)
        assert sentences == ["He lit the lamp.*", "It went out.", "Nobody spoke."]
        assert [kind for _, kind in aside] == [
            "footnote",
            "footnote",
            "editor's note",
            "footnote",
            "footnote",
        ]

    def test_the_authors_notes_are_sentences_where_that_is_asked(self):
        sentences, _, aside = read(self.TEXT, notes=True)
        assert "* The oil of that year was poor." in sentences
        assert "[Footnote 1: Tarn sold the rest of it.]" in "".join(sentences) or any(
            each.endswith("Tarn sold the rest of it.]") for each in sentences
        )
        assert [kind for _, kind in aside] == ["editor's note"]


class TestDatelines:
    @pytest.mark.parametrize(
        "line",
        [
            "5 May.",
            "_3 May. Harrow Quay._",
            "Harrow Quay, 17 September.",
            "Monday, 4 April.",
            "December 11th, 17—.",
            "5. Mai.",
            "_July_ 22_nd_, 1848.",
            "December 25th, 1822, eight o'clock.",
            "“_25 May._",
            "“Harrow Quay, Monday, 17 September.",
            '"Harrow, March 18, 17--."',
        ],
    )
    def test_a_line_of_its_own_is_set_aside(self, line):
        assert read(f"{PROSE}\n\n{line}\n\nNobody came.") == (
            ["It rained upon the town.", "Nobody spoke.", "Nobody came."], [], [(line, "dateline")]
        )  # fmt: skip

    @pytest.mark.parametrize(
        "line",
        [
            "_3 May. Harrow Quay._",
            "_Later: the morning of 16 May._",
            "_Midnight._",
            "25 May.",
            "9th.",
            "_Same day, 11 o'clock p. m._",
        ],
    )
    def test_it_is_cut_off_in_front_of_the_dash(self, line):
        sentences, _, aside = read(f"{line}--Left the quay at noon. The lamps were lit.")
        assert sentences == ["--Left the quay at noon.", "The lamps were lit."]
        assert aside == [(line, "dateline")]

    @pytest.mark.parametrize(
        "paragraph",
        [
            "On the 5th of May he went away.", "5 May I went away.", "May was wet.",
            "She was born in Harrow, May 5.",
            "_Never._--He went away.", "Sunday was wet.", "“5 May.”", "He came on the 5th of May--and went.",
        ],
    )  # fmt: skip
    def test_a_sentence_with_a_date_is_a_sentence(self, paragraph):
        assert read(f"{PROSE}\n\n{paragraph}\n\n{PROSE}")[2] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left at 8:35 P.M., on 1st May, in rain.", ["He left at 8:35 P.M., on 1st May, in rain."]),
        ("He left at 8:35 P.M. The lamps were lit.", ["He left at 8:35 P.M.", "The lamps were lit."]),
        ("He left at 8:35 P. M. The lamps were lit.", ["He left at 8:35 P. M.", "The lamps were lit."]),
        ("He left at 8 p.m. on the tide.", ["He left at 8 p.m. on the tide."]),
        ("He left at 8:35 P.M. Monday by boat.", ["He left at 8:35 P.M. Monday by boat."]),
        ("The lamp of A. M. Harrow went out.", ["The lamp of A. M. Harrow went out."]),
        ("Es gab z. B. Lampen, d. h. Licht. Er kam.", ["Es gab z. B. Lampen, d. h. Licht.", "Er kam."]),
        ("Es gab z.B. Lampen. Er kam.", ["Es gab z.B. Lampen.", "Er kam."]),
        ("Lampen, Boote u. s. w. lagen da.", ["Lampen, Boote u. s. w. lagen da."]),
        ("Da lagen Boote u. s. w. Er kam.", ["Da lagen Boote u. s. w.", "Er kam."]),
        ("Am 5. Mai kam Hr. Tarn i. d. R. Er ging.", ["Am 5. Mai kam Hr. Tarn i. d. R. Er ging."]),
        ("Im 19. Jahrhundert, im 3. Stock. Er kam.", ["Im 19. Jahrhundert, im 3. Stock.", "Er kam."]),
        ("Thus ends Book I. (Folio), and it rained.", ["Thus ends Book I. (Folio), and it rained."]),
        ("Frl. Pell wohnte Nr. 7. Er nicht.", ["Frl. Pell wohnte Nr. 7.", "Er nicht."]),
    ],
)  # fmt: skip
def test_stops_that_end_nothing(text, expected):
    assert read(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("»Es regnet.« »Wie denn?« Sie lachte.", ["»Es regnet.«", "»Wie denn?«", "Sie lachte."]),
        ("»Wer da?« fragte K. und ging.", ["»Wer da?« fragte K. und ging."]),
        ("„Und du?“ – „Ich auch.“ Er ging.", ["„Und du?“", "– „Ich auch.“", "Er ging."]),
        ("« Qui est là ? » dit-il. « Moi. »", ["« Qui est là ? » dit-il.", "« Moi. »"]),
    ],
)
def test_speeches_end_with_the_marks_of_their_language(text, expected):
    assert read(text)[0] == expected


@pytest.mark.parametrize(
    "paragraph",
    [
        "RAIN: What of me?",
        "THE OLD LAMP: (_Softly_) You will go out.",
        "2ND SAILOR. Avast the chorus!",
        "TARN (sulky and wet). It rains.",
        "“It rained upon the town.” --THE ALMANAC.",
        "It rained. —TARN",
    ],
)
def test_who_speaks_or_is_quoted_is_no_sentence_of_its_own(paragraph):
    assert read(f"{PROSE}\n\n{paragraph}\n\n{PROSE}")[0][2:-2] == [paragraph]


@pytest.mark.parametrize(
    ("paragraph", "first"),
    [
        ("NO. It rained.", "NO."),
        ("It rained. --But not for long.", "It rained."),
        ("Pell said: it rained.", "Pell said:"),
    ],
)
def test_a_sentence_in_capitals_and_one_behind_a_dash_are_sentences(paragraph, first):
    assert read(f"{PROSE}\n\n{paragraph}\n\n{PROSE}")[0][2] == first


@pytest.mark.parametrize(
    "paragraph", ["C’est la pluie.", "L’homme vint.", "I’m here.", "I, too.", "I5", "X2."]
)
def test_a_paragraph_that_begins_like_a_numeral_or_a_date_is_read(paragraph):
    assert read(f"{PROSE}\n\n{paragraph}\n\n{PROSE}")[0][2:-2] == [paragraph]


@pytest.mark.parametrize(
    "title",
    ["_Letter, Mr. Tarn to Mrs. Pell._", "_Telegram from Tarn to Pell._", 'LOG OF THE "LAMPLIGHTER."'],
)
def test_the_title_of_a_document_in_a_novel_is_a_heading(title):
    assert read(f"{PROSE}\n\n{title}\n\n{PROSE}")[1] == [title]


def test_a_note_in_italics_that_tells_is_no_title():
    assert read(f"{PROSE}\n\n_Letters came to Mr. Tarn._\n\n{PROSE}")[1] == []


BITS = (
    "I V. L’ C’ “ ” » « „ _ * † [1] {12} -- — … [Footnote CHAPTER INDEX Contents 5 May _3 1848 Rain rain. "
    ") ] P.M. 8:35 z. B. THE VOICE: --ED. 12."
).split(" ")


@given(st.lists(st.sampled_from([*BITS, " ", "\n", "\n\n"])).map("".join))
def test_whatever_the_marks_nothing_is_lost_and_nothing_said_twice(text):
    found = segment(text)
    spans = sorted([*found.sentences, *found.headings, *(part[:2] for part in found.left_out)])
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())

"""Which language a text is in: every shared novel and critic passes, other languages do not."""

import os
from pathlib import Path

import pytest

from retrieval.engine.text.languages import differs, identify

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
shared = pytest.mark.skipif(not DATA, reason="VARIORUM_TEST_DATA is not set")

ENGLISH = (
    "The widow kept her lamp in the window long after the boats had stopped coming home, and nobody in "
    "the street thought it strange. It was, she said, a matter of habit; and when the schoolmaster asked "
    "what the habit was for, she told him that habits are for nothing, which is why we keep them."
)
GERMAN = (
    "Die Witwe ließ ihre Lampe noch lange im Fenster stehen, nachdem die Boote nicht mehr heimkehrten, "
    "und in der ganzen Gasse wunderte sich niemand darüber. Es sei, sagte sie, eine Gewohnheit; und als "
    "der Lehrer fragte, wozu sie gut sei, gab sie zur Antwort, Gewohnheiten seien zu nichts gut, darum "
    "behalte man sie."
)
LATIN = (
    "Vidua lucernam in fenestra diu servabat, postquam naves ad portum redire desierunt, neque quisquam "
    "in vico id mirabatur. Consuetudinem esse dixit; et cum magister rogaret, cui rei ea consuetudo "
    "prodesset, respondit consuetudines nulli rei prodesse, et ob hanc causam ab hominibus retineri."
)


@pytest.mark.parametrize(("text", "language"), [(ENGLISH, "en"), (GERMAN, "de"), (LATIN, "la")])
def test_each_is_itself_and_no_other(text, language):
    assert identify(text).language == language
    for claimed in ("en", "de", "la"):
        assert (differs(text, claimed) is None) == (claimed == language)


def test_capitals_change_nothing():
    assert identify(ENGLISH.upper()).language == "en"
    assert identify(GERMAN.upper()).language == "de"


@pytest.mark.parametrize("tag", ["en-GB", "EN", "en-Latn-US"])
def test_the_first_part_of_the_tag_counts(tag):
    assert differs(ENGLISH, tag) is None
    assert differs(GERMAN, tag).language == "de"


def test_too_short_to_say():
    assert identify(ENGLISH[:150]) is None
    assert differs(ENGLISH[:150], "de") is None


@pytest.mark.parametrize("tag", ["ang", "x-shelta"])
def test_a_language_not_learnt_is_taken_at_its_word(tag):
    assert differs(ENGLISH, tag) is None


def test_numbers_alone_are_no_language():
    assert differs("1 2 3 4 5 6 7 8 9 " * 40, "en") is None


def test_a_critic_may_quote_another_language():
    assert differs(f"{ENGLISH} " * 30 + f"{GERMAN} " * 12, "en") is None


def test_near_languages_are_not_told_apart():
    danish = (
        "Enken lod sin lampe stå i vinduet længe efter at bådene ikke mere kom hjem, og ingen i gaden "
        "undrede sig over det. Det var, sagde hun, en vane; og da læreren spurgte, hvad den skulle være godt "
        "for, svarede hun, at vaner ikke er gode for noget, og at man netop derfor beholder dem."
    )
    assert differs(danish, "nb") is None
    assert differs(danish, "en").language == "da"


@shared
@pytest.mark.parametrize(
    "path",
    sorted([*Path(DATA or "/").glob("novels/*.txt"), *Path(DATA or "/").glob("criticism/*.txt")])
    if DATA
    else [],
    ids=lambda path: path.stem,
)
def test_every_shared_text_is_english(path):
    text = path.read_text(encoding="utf8")
    found = identify(text)
    assert found.language == "en"
    assert found.places >= 0.9 * found.of
    assert differs(text, "fr") == found

"""A text in another language than the one it is said to be in is refused at every door, in one sentence."""

import json

import pytest

from retrieval.engine.text import relic
from retrieval.loading import BadField, import_book, import_relic, import_source
from retrieval.models import Book, Source
from tests.retrieval.engine.test_languages import ENGLISH, GERMAN, LATIN

pytestmark = pytest.mark.django_db

SENTENCE = (
    "essai.txt reads as de in 1 of 1 places looked at, not as en; "
    "give the language it is in, or another file."
)


def critic(text, language="en"):
    return import_source(text.encode(), name="essai.txt", slug="e", citation="E. 1900", language=language)


def novel(text, language="en"):
    facts = {"slug": "b", "title": "The Book", "author": "A. A.", "year": 1900}
    return import_book(text.encode(), name="essai.txt", language=language, **facts)


@pytest.mark.parametrize("load", [critic, novel])
def test_german_is_not_english(load):
    with pytest.raises(BadField) as refused:
        load(GERMAN)
    assert (str(refused.value), refused.value.field) == (SENTENCE, "language")
    assert not Book.objects.exists()
    assert not Source.objects.exists()


@pytest.mark.parametrize("load", [critic, novel])
@pytest.mark.parametrize(("text", "language"), [(GERMAN, "de"), (LATIN, "la"), (ENGLISH, "en-GB")])
def test_its_own_language_is_welcome(load, text, language):
    assert load(text, language).created


def test_a_known_source_stays_known_whatever_is_said_of_it_now():
    critic(GERMAN, "de")
    assert not critic(GERMAN, "en").created


def test_relic_is_english():
    sentences = [f"{each}. " for each in GERMAN.split(". ")]
    sizes = {f"{size}_sentence": [*range(len(sentences) + 1 - size)] for size in range(1, 6)}
    book = {"sentences": sentences, "quotes": {}, "candidates": sizes}
    parsed = relic.parse(json.dumps({"quay": book}), "r.json")
    assert parsed["quay"].sentences
    with pytest.raises(BadField, match=r"r\.json: book 'quay' reads as de in 1 of 1 places"):
        import_relic(json.dumps({"quay": book}), name="r.json")
    assert not Book.objects.exists()


def test_the_form_says_it_beside_the_language(as_user, stan):
    for act in ({}, {"preview": "1"}):
        facts = {"slug": "e", "citation": "E. 1900", "language": "en", "pasted": GERMAN, **act}
        response = as_user(stan).post("/sources/import/", facts)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == ["language"]

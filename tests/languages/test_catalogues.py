"""The catalogues: complete, with the same placeholders, and compiled as they stand."""

from __future__ import annotations

import re

import pytest
from babel.messages.catalog import Catalog

from tests.languages import catalogues, extracting

LANGUAGES = catalogues.languages()
ENGLISH = re.compile(r"\b(the|and|your|you|item|study)\b", re.IGNORECASE)


def test_german_is_there():
    assert "de" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_translated_and_nothing_is_left_over(language):
    assert list(catalogues.faults(language)) == [], "`make words` says what to do."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", catalogues.COMPILED)
def test_what_the_site_reads_is_made_of_what_people_wrote(language, name):
    made = catalogues.compiled(language, name)
    assert catalogues.file(language, name).read_bytes() == made, "`make words` makes it anew."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", catalogues.SOURCES)
def test_no_translation_is_english(language, name):
    for each in catalogues.read(language, name):
        for text in each.string if isinstance(each.string, tuple) else (each.string,):
            plain = re.sub(r"<[^>]*>|%\(\w+\)s|\{\w*\}", "", text) if each.id else ""
            assert not ENGLISH.search(plain), text


def test_words_are_read_from_all_three_kinds_of_source():
    scripts = {each.text for each in extracting.of_scripts()}
    assert {"You wrote: “{words}”.", "{n} answer", "The server does not answer."} <= scripts
    templates = {(each.text, each.more, each.context) for each in extracting.of_templates()}
    assert ("{n} of {total}", "", None) not in templates
    assert ("%(n)s item", "%(n)s items", None) in templates
    assert ("Del", "", "key") in templates


def fault_of(text: str, translation: str | tuple[str, str], more: str = "") -> list[str]:
    catalogue = Catalog(locale="de", fuzzy=False)
    catalogue.add((text, more) if more else text, translation)
    return list(catalogues._faults_of(next(each for each in catalogue if each.id)))


def test_a_lost_or_foreign_placeholder_is_a_fault_and_one_may_be_a_word():
    assert fault_of("%(n)s of %(total)s", "%(n)s von") != []
    assert fault_of("{n} of {total}", "{n} von {all}") != []
    assert fault_of("Saved", "") != []
    assert fault_of("See <b>it</b>", "Sehen") != []
    assert fault_of("{n} item", ("eine Aufgabe", "{n} Aufgaben"), "{n} items") == []
    assert fault_of("{n} of {total}", "{n} von {total}") == []

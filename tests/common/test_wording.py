"""Moments as pages and messages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.utils import translation

from common import wording
from common.templatetags import prose
from common.templatetags.times import clock, day
from common.translation import gettext, ngettext
from retrieval.jobs.status import duration

MOMENT = datetime(2024, 5, 3, 14, 2, 9, tzinfo=UTC)


def test_a_moment_is_written_day_first_with_the_month_in_letters():
    assert wording.day(MOMENT) == "3 May 2024"
    assert wording.day_and_time(MOMENT) == "3 May 2024, 14:02 UTC"


def test_a_moment_of_another_zone_is_the_same_moment():
    elsewhere = MOMENT.astimezone(timezone(timedelta(hours=-15)))
    assert elsewhere.day == 2
    assert wording.day_and_time(elsewhere) == "3 May 2024, 14:02 UTC"
    assert day(elsewhere) == day(MOMENT)


def test_a_page_says_it_in_utc_for_those_without_scripts():
    stamp = '<time datetime="2024-05-03T14:02:09+00:00" data-local="{}">{}</time>'
    assert clock(MOMENT) == stamp.format("clock", "14:02 UTC")
    assert day(MOMENT) == stamp.format("day", "3 May 2024, 14:02 UTC")


def test_names_are_sorted_as_people_sort_them():
    names = ["in the top 10, 10", "in the top 10, 2", "2 or 10", "2", "10", "1", "", "³", "no answer"]
    assert sorted(names, key=wording.natural) == [
        "", "1", "2", "2 or 10", "10", "in the top 10, 2", "in the top 10, 10", "no answer", "³"
    ]  # fmt: skip


def test_german_writes_dates_numbers_and_durations_in_its_own_way():
    with translation.override("de"):
        assert wording.day_and_time(MOMENT) == "3. Mai 2024, 14:02 UTC"
        assert [wording.number(n) for n in (0, 999, 7500, 1_234_567)] == ["0", "999", "7.500", "1.234.567"]
        assert wording.number(1234.5, 2) == "1.234,50"
        assert prose.thousands(7500) == "7.500"
        assert prose.percent(0.0138) == "1,4 %"
        assert [duration(seconds) for seconds in (8, 185, 7500)] == ["8 s", "3 Min.", "2 Std. 5 Min."]


def test_english_writes_them_as_before():
    assert wording.number(1234.5, 2) == "1,234.50"
    assert prose.thousands(7500) == "7,500"
    assert prose.percent(0.0138) == "1.4 %"
    assert [duration(seconds) for seconds in (8, 185, 7500)] == ["8 s", "3 min", "2 h 5 min"]


@pytest.mark.parametrize(
    ("words", "english", "german"),
    [
        ([], "", ""),
        (["A"], "A", "A"),
        (["A", "B"], "A and B", "A und B"),
        (["A", "B", "C"], "A, B and C", "A, B und C"),
    ],
)
def test_words_are_listed_as_a_sentence_has_them(words, english, german):
    assert wording.listed(words) == english
    with translation.override("de"):
        assert wording.listed(words) == german


def test_code_without_django_speaks_the_language_of_the_site():
    one, several = "you have done its one item.", "you have done all {n} items."
    assert [ngettext(one, several, n) for n in (1, 2)] == [one, several]
    with translation.override("de"):
        assert gettext("Mark the allusion") == "Die Anspielung markieren"
        assert gettext("") == ""
        assert ngettext(one, several, 1).startswith("Sie haben ihre einzige")
        assert ngettext(one, several, 2).startswith("Sie haben alle {n}")
    assert gettext("Mark the allusion") == "Mark the allusion"

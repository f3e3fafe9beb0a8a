"""Moments as pages and messages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from common import wording
from common.templatetags.times import clock, day

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

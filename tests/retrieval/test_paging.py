"""A long list links to all its ends, not only to its next page."""

from __future__ import annotations

import re

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory


def rendered(number, pages):
    page = Paginator(range(pages), 1).get_page(number)
    request = RequestFactory().get("/", {"book": "boats", "page": number})
    return render_to_string("partials/pagination.html", {"page": page}, request)


@pytest.mark.parametrize(
    ("number", "pages", "linked"),
    [
        (1, 40, [2, 2, 3, 40]),
        (20, 40, [19, 21, 1, 18, 19, 21, 22, 40]),
        (4, 4, [3, 1, 2, 3]),
        (2, 3, [1, 3]),
    ],
)
def test_first_last_and_those_around_are_linked_and_the_filter_stays(number, pages, linked):
    text = rendered(number, pages)
    assert [int(each) for each in re.findall(r'href="\?book=boats&amp;page=(\d+)"', text)] == linked
    assert f"Page {number} of {pages}" in text
    assert ("<strong>" in text) == (pages > 3)


def test_a_list_of_one_page_has_none():
    assert "<nav" not in rendered(1, 1)

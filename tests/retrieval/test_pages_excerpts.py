"""Excerpts on pages: the filtered list, and quotation beside passage."""

import re

import pytest
from django.urls import reverse
from django.utils.html import escape

from retrieval.models import Excerpt
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


@pytest.fixture
def excerpt(db):
    return builders.excerpt(builders.book(), builders.source(), first=5, size=2)


def test_the_list_is_filtered_by_book_and_source(staff, excerpt):
    other = builders.excerpt(builders.book("other"), excerpt.source)
    third = builders.excerpt(excerpt.book, builders.source("third", "Third 1999"))
    for query, wanted in {
        "": {excerpt, other, third},
        "book=boats": {excerpt, third},
        "source=critic": {excerpt, other},
        "book=boats&source=third": {third},
        "book=unknown": set(),
    }.items():
        assert set(staff.get(f"/excerpts/?{query}").context["page"]) == wanted, query


def test_a_long_quotation_is_cut_between_words_and_qratio_is_explained(staff, excerpt):
    words = " ".join(f"harbour{n}" for n in range(30))
    Excerpt.objects.filter(pk=excerpt.pk).update(printed=words)
    text = staff.get("/excerpts/").text
    assert "harbour13 …</a>" in text
    assert "QRatio: how alike" in text


def test_the_list_is_paginated_and_keeps_the_filter(staff, excerpt):
    for first in range(30):
        builders.excerpt(excerpt.book, builders.source(f"s{first}", f"S {first}"), first % 20)
    text = staff.get("/excerpts/?book=boats").content.decode()
    assert "31 excerpts" in text
    assert "book=boats&amp;page=2" in text


def test_quotation_and_passage_are_both_marked(staff, excerpt):
    text = staff.get(reverse("retrieval:excerpt", args=[excerpt.pk])).content.decode()
    marks = [re.sub("<[^>]+>", "", mark) for mark in re.findall(r"<mark[^>]*>(.*?)</mark>", text, re.DOTALL)]
    assert marks == [excerpt.printed, excerpt.book.passage(5, 2)]
    for near in (2, 9):
        assert excerpt.book.passage(near, 1) in text
    for far in (1, 10):
        assert excerpt.book.passage(far, 1) not in text
    assert "/books/boats/?at=5&amp;size=2#s5" in text
    assert escape(excerpt.why) in text
    assert excerpt.digest[:12] in text


def test_a_quotation_that_was_not_found_in_the_book(staff, excerpt):
    excerpt.first = excerpt.size = excerpt.score = None
    excerpt.printed = ""
    excerpt.external_id = "q77"
    excerpt.save()
    text = staff.get(reverse("retrieval:excerpt", args=[excerpt.pk])).content.decode()
    assert "The quotation was not found in the book." in text
    assert "q77" in text
    assert "not found" in staff.get("/excerpts/").content.decode()


def test_unknown(staff):
    assert staff.get("/excerpts/1/").status_code == 404
    assert staff.get(f"/excerpts/{10**30}/").status_code == 404
    assert staff.get("/excerpts/?book=%00&source=%00").status_code == 400
    assert staff.get("/excerpts/?book=x&source=-1").status_code == 200

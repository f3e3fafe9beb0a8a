"""Words of an excerpt's context that staff cover, and take back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from common.errors import BadField, BadInput
from retrieval.curating.covering import cover, uncover, was_covered
from retrieval.curating.excerpts import reject
from retrieval.models import Act, Excerpt, Standing
from tests import builders

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def excerpt(db):
    made = builders.excerpt(builders.book(), builders.source())
    Excerpt.objects.filter(pk=made.pk).update(
        left=["The critic begins.", "He speaks of the boats of the last fleet."], right=["So he ends."]
    )
    made.refresh_from_db()
    return made


def at(name, excerpt):
    return reverse(f"retrieval:{name}", args=[excerpt.pk])


def test_covered_words_are_another_excerpt(excerpt, stan):
    made = cover(excerpt, "boats of the LAST", reason="the gold’s words", by=stan, now=NOW)
    assert made.left == ["The critic begins.", "He speaks of the […] fleet."]
    assert (made.right, made.printed, made.first, made.score) == (
        excerpt.right,
        excerpt.printed,
        excerpt.first,
        excerpt.score,
    )
    old = Excerpt.objects.get(pk=excerpt.pk)
    assert old.left[1] == "He speaks of the boats of the last fleet."
    assert (old.standing, old.superseded_by, made.standing) == (Standing.SUPERSEDED, made, Standing.IN_USE)
    for each in (old, made):
        row = each.curations.get()
        assert (row.act, row.by, row.at) == (Act.COVERED, stan, NOW)
        assert row.change == {"covered": "boats of the last"}


def test_covers_are_taken_back_and_made_again(excerpt):
    made = cover(excerpt, "boats", reason="tells", by=None, now=NOW)
    assert was_covered(made) == "boats"
    back = uncover(made, reason="it does not", by=None, now=NOW)
    assert (back.left, back.right) == (excerpt.left, excerpt.right)
    assert was_covered(back) == ""
    with pytest.raises(BadInput, match="not made by covering words"):
        uncover(back, reason="why", by=None, now=NOW)
    again = cover(back, "boats", reason="tells after all", by=None, now=NOW)
    assert again.left == made.left
    assert len(set(Excerpt.objects.values_list("digest", flat=True))) == 4
    assert list(Excerpt.objects.in_use()) == [again]


def test_what_cannot_be_covered(excerpt):
    with pytest.raises(BadField, match="does not stand in the context"):
        cover(excerpt, "lamps", reason="tells", by=None, now=NOW)
    with pytest.raises(BadField, match="The reason is missing"):
        cover(excerpt, "boats", reason=" ", by=None, now=NOW)
    reject(excerpt, reason="no", by=None, now=NOW)
    with pytest.raises(BadInput, match="is rejected, not in use"):
        cover(excerpt, "boats", reason="tells", by=None, now=NOW)
    assert Excerpt.objects.count() == 1


def test_the_page_says_the_longest_run_and_only_staff_cover(as_user, stan, dora, excerpt):
    page = as_user(dora).get(at("excerpt", excerpt)).text
    assert "6 words in a row</strong>" in page
    assert ">the boats of the last fleet</q>" in page
    assert "Cover words of the context" not in page
    assert "Cover words of the context" in as_user(stan).get(at("excerpt", excerpt)).text


def test_it_is_shown_first_then_done_and_taken_back_on_the_page(as_user, stan, excerpt):
    browser = as_user(stan)
    page = browser.post(at("excerpt_cover", excerpt), {"words": "boats of the last", "preview": "1"}).text
    assert "He speaks of the […] fleet." in page
    assert Excerpt.objects.count() == 1
    sent = {"words": "boats of the last", "reason": "the gold’s words"}
    done = browser.post(at("excerpt_cover", excerpt), sent)
    made = Excerpt.objects.in_use().get()
    assert done["Location"] == made.get_absolute_url()
    page = browser.get(made.get_absolute_url()).text
    assert "<strong>Words covered</strong>" in page
    assert "<q>boats of the last</q>" in page
    browser.post(at("excerpt_uncover", made), {"reason": "it does not tell"})
    assert Excerpt.objects.in_use().get().left == excerpt.left


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({"words": "boats"}, "This field is required."),
        ({"words": "lamps", "reason": "tells"}, "does not stand in the context"),
        ({"words": "lamps", "preview": "1"}, "does not stand in the context"),
        ({"words": "", "preview": "1"}, "This field is required."),
    ],
)
def test_a_refusal_stands_beside_its_field(as_user, stan, excerpt, sent, refused):
    reply = as_user(stan).post(at("excerpt_cover", excerpt), sent)
    assert reply.status_code == 422
    assert refused in reply.text

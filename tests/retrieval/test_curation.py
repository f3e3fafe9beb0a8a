"""Excerpts that staff reject, restore and give other borders: recorded, and not under a job's feet."""

from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from common.errors import BadField, BadInput
from retrieval.candidates import submitting
from retrieval.curating.excerpts import Borders, move, reject, restore
from retrieval.models import Act, Candidate, Curation, Excerpt, Standing
from tests import builders

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def book(db):
    return builders.book()


@pytest.fixture
def excerpt(book):
    return builders.excerpt(book, builders.source())


def borders(excerpt, **changes):
    return Borders(excerpt.first, excerpt.size, len(excerpt.left), len(excerpt.right))._replace(**changes)


class TestRejecting:
    def test_and_restoring_is_recorded_and_decides_what_new_jobs_take(self, book, excerpt, stan):
        builders.excerpt(book, excerpt.source, first=9)
        reject(excerpt, reason="  an\n advertisement ", by=stan, now=NOW)
        assert excerpt.standing == Standing.REJECTED
        assert submitting.submit(book, ranker="bm25", parameters={}).total == 1
        restore(excerpt, reason="it is a review", by=None, now=NOW)
        assert submitting.submit(book, ranker="bm25", parameters={}).total == 2
        rows = Curation.objects.values_list("excerpt", "act", "reason", "by", "at")
        assert list(rows) == [
            (excerpt.pk, Act.REJECTED, "an advertisement", stan.pk, NOW),
            (excerpt.pk, Act.RESTORED, "it is a review", None, NOW),
        ]

    def test_of_two_who_reject_one_succeeds(self, excerpt):
        same = Excerpt.objects.get(pk=excerpt.pk)
        reject(excerpt, reason="first", by=None, now=NOW)
        with pytest.raises(
            BadInput, match=f"Excerpt {excerpt.pk} is rejected, not in use; nothing was changed"
        ):
            reject(same, reason="second", by=None, now=NOW)
        assert Curation.objects.get().reason == "first"

    def test_what_is_in_use_cannot_be_restored(self, excerpt):
        with pytest.raises(BadInput, match="is in use, not rejected"):
            restore(excerpt, reason="why not", by=None, now=NOW)
        assert not Curation.objects.exists()

    @pytest.mark.parametrize(
        ("reason", "sentence"),
        [
            ("", "The reason is missing"),
            (" \n ", "The reason is missing"),
            ("x" * 301, "has 301 characters; at most 300"),
            ("\x00", "cannot be printed"),
        ],
    )
    def test_a_reason_is_needed(self, excerpt, reason, sentence):
        with pytest.raises(BadField, match=sentence) as refused:
            reject(excerpt, reason=reason, by=None, now=NOW)
        assert refused.value.field == "reason"
        excerpt.refresh_from_db()
        assert excerpt.standing == Standing.IN_USE

    def test_a_book_with_nothing_in_use_makes_no_job(self, book, excerpt):
        reject(excerpt, reason="no", by=None, now=NOW)
        with pytest.raises(BadInput, match="has no excerpt with a passage"):
            submitting.submit(book, ranker="bm25", parameters={})


class TestMoving:
    def test_other_borders_are_another_excerpt(self, book, excerpt, stan):
        made = move(excerpt, Borders(4, 2, 1, 0), reason="one further", by=stan, now=NOW)
        assert (made.first, made.size, made.standing) == (4, 2, Standing.IN_USE)
        assert (made.left, made.right) == (excerpt.left[1:], [])
        assert made.printed == excerpt.printed
        assert 40 < made.score < 100
        old = Excerpt.objects.get(pk=excerpt.pk)
        assert (old.first, old.size, old.standing, old.superseded_by) == (3, 1, Standing.SUPERSEDED, made)
        assert old.left == ["The critic prepares us for sentence 3.", "He speaks of boats and of lamps."]
        change = {
            "was": {"first": 3, "size": 1, "left": 2, "right": 2},
            "is": {"first": 4, "size": 2, "left": 1, "right": 0},
        }
        rows = Curation.objects.values_list("excerpt", "act", "reason", "change")
        assert list(rows) == [(pk, Act.MOVED, "one further", change) for pk in (excerpt.pk, made.pk)]

    def test_a_job_keeps_what_it_has_and_a_new_one_takes_the_new(self, book, excerpt):
        before = submitting.submit(book, ranker="bm25", parameters={})
        made = move(excerpt, borders(excerpt, first=5), reason="there", by=None, now=NOW)
        assert list(submitting.excerpts_to_rank(before)) == [excerpt]
        assert list(submitting.excerpts_to_rank(submitting.submit(book, ranker="bm25", parameters={}))) == [
            made
        ]

    def test_candidates_keep_the_old_one(self, book, excerpt):
        job = builders.finished_job(book, [excerpt])
        move(excerpt, borders(excerpt, size=3), reason="longer", by=None, now=NOW)
        gold = Candidate.objects.get(job=job, is_gold=True)
        assert (gold.excerpt_id, gold.first, gold.size) == (excerpt.pk, 3, 1)

    def test_there_and_back_are_three_rows(self, excerpt):
        there = move(excerpt, borders(excerpt, first=7), reason="there", by=None, now=NOW)
        back = move(there, borders(excerpt), reason="and back", by=None, now=NOW)
        assert (back.first, back.size, back.score) == (3, 1, 100.0)
        assert list(Excerpt.objects.in_use()) == [back]

    def test_of_two_who_move_one_succeeds(self, excerpt):
        same = Excerpt.objects.get(pk=excerpt.pk)
        move(excerpt, borders(excerpt, first=7), reason="there", by=None, now=NOW)
        with pytest.raises(BadInput, match="is superseded, not in use"):
            move(same, borders(same, first=8), reason="or there", by=None, now=NOW)
        assert Excerpt.objects.count() == 2

    @pytest.mark.parametrize(
        ("changes", "field", "sentence"),
        [
            ({"first": 24}, "first", "There is no sentence 25: the book has 1 to 24."),
            ({"first": -1}, "first", "There is no sentence 0"),
            ({"first": 23, "size": 2}, "size", "ends at sentence 25, and the book at sentence 24"),
            ({"size": 0}, "size", "The length is 0; a quotation has 1 to 40 sentences."),
            ({"size": 41}, "size", "The length is 41"),
            ({"left": 3}, "left", "3 context sentences cannot stay on the left: there are 2."),
            ({"right": -1}, "right", "-1 context sentences cannot stay"),
            ({"left": 0, "right": 0}, "left", "No context would stay"),
            ({}, None, "nothing was changed"),
        ],
    )
    def test_borders_that_are_none(self, excerpt, changes, field, sentence):
        with pytest.raises(BadInput, match=sentence) as refused:
            move(excerpt, borders(excerpt, **changes), reason="wrong", by=None, now=NOW)
        assert getattr(refused.value, "field", None) == field
        assert Excerpt.objects.get() == excerpt
        assert not Curation.objects.exists()

    def test_relics_have_no_printed_wording_to_compare(self, excerpt):
        excerpt.printed, excerpt.score = "", None
        assert move(excerpt, borders(excerpt, first=7), reason="x", by=None, now=NOW).score is None


class TestTheRecord:
    def test_is_append_only_in_the_model_and_in_the_database(self, excerpt):
        reject(excerpt, reason="no", by=None, now=NOW)
        row = Curation.objects.get()
        row.reason = "yes"
        with pytest.raises(ValueError, match="never changed"):
            row.save()
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            Curation.objects.update(reason="yes")
        assert Curation.objects.get().reason == "no"

    @pytest.mark.parametrize("standing", [Standing.SUPERSEDED, "gone"])
    def test_a_standing_that_cannot_be_is_refused_by_the_database(self, excerpt, standing):
        with pytest.raises(IntegrityError), transaction.atomic():
            Excerpt.objects.filter(pk=excerpt.pk).update(standing=standing)


class TestPages:
    def test_reject_then_restore(self, as_user, stan, excerpt):
        browser = as_user(stan)
        url = excerpt.get_absolute_url()
        response = browser.post(f"{url}reject/", {"reason": "an edition"}, follow=True)
        text = response.content.decode()
        assert "Rejected: no new job takes it" in text
        assert "an edition" in text
        assert f'action="{url}restore/"' in text
        assert "Move the borders" not in text
        text = browser.post(f"{url}restore/", {"reason": "a review"}, follow=True).content.decode()
        assert f'action="{url}reject/"' in text
        assert text.index("an edition") < text.index("a review")

    def test_no_reason_no_decision(self, as_user, stan, excerpt):
        response = as_user(stan).post(f"{excerpt.get_absolute_url()}reject/", {"reason": " "})
        assert response.status_code == 422
        assert list(response.context["form"].errors) == ["reason"]
        assert not Curation.objects.exists()

    def test_too_late_is_said_on_the_page(self, as_user, stan, excerpt):
        reject(excerpt, reason="before", by=None, now=NOW)
        response = as_user(stan).post(f"{excerpt.get_absolute_url()}reject/", {"reason": "again"})
        assert response.status_code == 422
        assert "is rejected, not in use" in response.content.decode()

    def test_move_the_borders(self, as_user, stan, excerpt):
        url = f"{excerpt.get_absolute_url()}borders/"
        form = as_user(stan).get(url).context["form"]
        assert {name: form[name].value() for name in ("first", "size", "left", "right")} == {
            "first": 4,
            "size": 1,
            "left": 2,
            "right": 2,
        }
        sent = {"first": 5, "size": 2, "left": 2, "right": 1, "reason": "the next one too"}
        response = as_user(stan).post(url, sent, follow=True)
        made = Excerpt.objects.in_use().get()
        assert (made.first, made.size) == (4, 2)
        assert response.redirect_chain == [(made.get_absolute_url(), 302)]
        old = as_user(stan).get(excerpt.get_absolute_url()).content.decode()
        assert f"excerpt {made.pk}</a>. Jobs and studies that have this one keep it" in old
        assert "Reject it" not in old

    @pytest.mark.parametrize(("field", "value"), [("first", 25), ("size", 41), ("left", 3), ("reason", "")])
    def test_wrong_borders_stand_beside_their_field(self, as_user, stan, excerpt, field, value):
        sent = {"first": 5, "size": 1, "left": 2, "right": 1, "reason": "so", field: value}
        response = as_user(stan).post(f"{excerpt.get_absolute_url()}borders/", sent)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]
        assert Excerpt.objects.count() == 1

    def test_dora_reads_the_history_and_decides_nothing(self, as_user, dora, stan, excerpt):
        reject(excerpt, reason="an edition", by=stan, now=NOW)
        text = as_user(dora).get(excerpt.get_absolute_url()).content.decode()
        assert "an edition" in text
        assert "Stan" in text
        assert '<form class="form"' not in text

    def test_the_list_shows_what_is_in_use_unless_asked(self, as_user, dora, book, excerpt):
        other = builders.excerpt(book, excerpt.source, first=9)
        reject(other, reason="no", by=None, now=NOW)
        made = move(excerpt, borders(excerpt, first=7), reason="there", by=None, now=NOW)
        browser = as_user(dora)

        def shown(standing):
            page = browser.get("/excerpts/", {"standing": standing} if standing else {})
            return {each.pk for each in page.context["page"]}

        assert shown("") == shown("in-use") == shown("nonsense") == {made.pk}
        assert shown("rejected") == {other.pk}
        assert shown("superseded") == {excerpt.pk}
        assert shown("all") == {excerpt.pk, other.pk, made.pk}
        assert browser.get("/books/").context["page"][0].excerpt_count == 1
        assert browser.get("/sources/").context["page"][0].excerpt_count == 1

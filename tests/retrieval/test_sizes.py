"""Which gold passages a job takes: all, of one length, or of a range; in every form in which one says it."""

import pytest
from django.core.management import call_command

from common.errors import BadInput
from retrieval.candidates import outcome, pipeline, sizes, submitting
from retrieval.models import CandidateJob
from tests import builders


@pytest.mark.parametrize(
    ("given", "kept", "words"),
    [
        (None, None, "every length that occurs"),
        ("", None, "every length that occurs"),
        (1, 1, "1 sentence"),
        ("3", 3, "3 sentences"),
        ("1-5", [1, 5], "1 to 5 sentences"),
        (" 2 – 4 ", [2, 4], "2 to 4 sentences"),
        ([2, 4], [2, 4], "2 to 4 sentences"),
        ((3, 3), 3, "3 sentences"),
        ("1-20", [1, 20], "1 to 20 sentences"),
    ],
)
def test_what_is_kept_and_said(given, kept, words):
    assert sizes.checked(given) == kept
    assert sizes.in_words(kept) == words


@pytest.mark.parametrize(
    "given",
    [0, 21, "21", "5-1", [5, 1], [1], [1, 2, 3], [1, "2"], True, [True, 2], 2.0, "x", "1-", "1--5", {}],
)  # fmt: skip
def test_what_is_refused_with_what_would_be_right(given):
    with pytest.raises(
        BadInput, match=r"it must be a whole number from 1 to 20, a range such as 1-5, or left"
    ):
        sizes.checked(given)


@pytest.fixture
def lengths(db):
    book, critic = builders.book(), builders.source()
    for first, size in ((1, 1), (4, 2), (8, 3), (13, 4), (18, 5)):
        builders.excerpt(book, critic, first=first, size=size)
    return book


@pytest.mark.parametrize(
    ("size", "taken"), [(None, [1, 2, 3, 4, 5]), (2, [2]), ([2, 4], [2, 3, 4]), ("1-5", [1, 2, 3, 4, 5])]
)
def test_the_excerpts_of_these_lengths_and_no_others_are_ranked(lengths, size, taken):
    job = submitting.submit(lengths, ranker="bm25", parameters={"size": size})
    assert job.total == len(taken)
    assert pipeline.attempt(job.pk, "w")
    found = job.candidates.filter(is_gold=True).values_list("size", flat=True)
    assert sorted(found) == taken


def test_a_range_without_an_excerpt_is_named(lengths):
    with pytest.raises(BadInput, match="no excerpt with a passage of 7 to 9 sentences: import"):
        submitting.submit(lengths, ranker="bm25", parameters={"size": [7, 9]})


@pytest.mark.parametrize(("size", "words"), [(None, "every length"), (2, "2 sentences"), ([1, 5], "1 to 5")])
def test_a_jobs_page_says_it_in_words_old_jobs_too(lengths, size, words):
    job = submitting.submit(lengths, ranker="bm25", parameters={})
    CandidateJob.objects.update(parameters={**job.parameters, "size": size})
    job.refresh_from_db()
    assert words in dict(outcome.parameters_in_words(job))["Passages"]


def test_page_api_and_command_take_a_range(as_user, stan, lengths):
    staff = as_user(stan)
    form = staff.get("/books/boats/generate/").text
    assert '<option value="1-5">' in form
    sent = {"ranker": "bm25", "negatives": "2", "left": "4", "right": "4"}
    staff.post("/books/boats/generate/", {**sent, "size": "2-3"})
    asked = {"book": "boats", "parameters": {"size": [1, 4]}}
    staff.post("/api/v1/jobs/", asked, content_type="application/json")
    call_command("generate", "--book=boats", "--size=4-5", verbosity=0)
    kept = [job.parameters["size"] for job in CandidateJob.objects.order_by("pk")]
    assert kept == [[2, 3], [1, 4], [4, 5]]
    refused = staff.post("/books/boats/generate/", {**sent, "size": "5-2"})
    assert list(refused.context["form"].errors) == ["size"]
    assert 'value="5-2"' in refused.text

"""Books and sources that try the rules: the bad input of the loading commands, from file to job."""

import json

import pytest

from common.errors import BadInput
from retrieval.candidates import pipeline, submitting
from retrieval.loading import find_excerpts, import_book, import_relic, import_source
from retrieval.models import Book, Candidate, CandidateJob, Comparison, Excerpt, Source, Status
from tests.retrieval.quay import ESSAY, LAMPS, NOVEL

pytestmark = pytest.mark.django_db
FACTS = {"slug": "b", "title": "The Book", "author": "A. A.", "year": 1900}


def book(text, **facts):
    return import_book(text.encode(), name="b.txt", **{**FACTS, **facts}).book


def source(text, slug="s"):
    return import_source(text.encode(), name="s.txt", slug=slug, citation="S. 1900").source


def ranked(of):
    job = submitting.submit(of, ranker="bm25", parameters={})
    assert pipeline.attempt(job.pk, "worker")
    return CandidateJob.objects.get(pk=job.pk)


def test_a_book_of_one_sentence():
    one = book(LAMPS)
    assert one.bounds() == [(0, len(LAMPS))]
    found = find_excerpts(one, source(ESSAY))
    assert [(each.first, each.size) for each in found.excerpts] == [(0, 1)]
    job = ranked(one)
    assert (job.status, job.counts["too_few"]) == (Status.DONE, 1)
    assert [row.is_gold for row in job.candidates.all()] == [True]


def test_no_paragraph_marks():
    flat = book(" ".join(NOVEL.replace("CHAPTER II", "").replace("CHAPTER I", "").split()))
    assert flat.n_sentences == 6
    assert (flat.headings, flat.left_out) == ([], [])
    assert find_excerpts(flat, source(" ".join(ESSAY.split()))).new == 2


def test_only_capitals():
    loud = book(NOVEL.upper())
    assert loud.n_sentences >= 6
    found = find_excerpts(loud, source(ESSAY))
    assert loud.passage(found.excerpts[0].first, found.excerpts[0].size) == LAMPS.upper()


@pytest.mark.parametrize("text", [NOVEL, NOVEL.replace("  ", " ").replace("lamps", "lanterns", 1)])
def test_a_source_that_is_the_book_itself(quay, text):
    with pytest.raises(BadInput, match="The source is the book itself or an edition of it"):
        find_excerpts(quay, source(text))
    assert not Excerpt.objects.exists()
    assert not Comparison.objects.exists()


@pytest.mark.parametrize(("start", "size"), [(3, 1), (2, 2), (-1, 1), (0, 4)])
def test_a_gold_outside_the_book(start, size):
    sentences = ["One. ", "Two. ", "Three. "]
    sizes = {f"{n}_sentence": [*range(max(0, 4 - n))] for n in range(1, 6)}
    quotes = {"q1": [["He says."], start, size, ["So he says."]]}
    with pytest.raises(BadInput, match=r"relic\.json: book 'quay', quote 'q1'"):
        import_relic(
            json.dumps({"quay": {"sentences": sentences, "quotes": quotes, "candidates": sizes}}),
            name="relic.json",
        )
    assert not Book.objects.exists()
    assert not Source.objects.exists()


def test_duplicate_sentences_everywhere():
    refrain = "And the sea went on saying what the sea has always said to those who listen."
    lines = [
        refrain if number % 2 else f"On the night numbered {number} nobody came." for number in range(40)
    ]
    book_ = book("\n\n".join(" ".join(lines[at : at + 4]) for at in range(0, 40, 4)))
    assert book_.n_sentences == 40
    essay = (
        f"The refrain is the whole of the poem's philosophy, such as it is. It runs: “{refrain}” "
        "Nobody has improved on this, and the author does not try to."
    )
    [found] = find_excerpts(book_, source(essay)).excerpts
    assert book_.passage(found.first, found.size) == refrain
    job = ranked(book_)
    rows = Candidate.objects.filter(job=job)
    assert len({(row.first, row.size) for row in rows}) == rows.count() >= 1
    wrong = [book_.passage(row.first, row.size) for row in rows if not row.is_gold]
    assert refrain not in wrong

"""A job's rank report: from stored candidates, and ranked again with less context."""

import csv
import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from common.errors import BadInput
from evaluation.ranking import tables
from evaluation.ranking.contexts import CONTEXTS, by_context
from evaluation.ranking.formats import FORMATS
from evaluation.ranking.ranked import options, ranked, won
from evaluation.ranking.report import PROXY, rank_report
from retrieval.candidates import pipeline, submitting
from retrieval.engine.text.passages import texts
from retrieval.engine.text.tokens import words
from retrieval.models import Candidate, CandidateJob, Excerpt, Status
from tests import builders

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def book():
    book, critic = builders.book(), builders.source()
    for first in (3, 9, 15, 20):
        one = builders.excerpt(book, critic, first)
        echo = f"He quotes the {['', '', '', 'first', '', '', '', '', '', 'patient'][min(first, 9)]} boat."
        Excerpt.objects.filter(pk=one.pk).update(left=[one.left[0], echo])
    builders.excerpt(book, critic, 6, size=2)
    return book


def ran(book, **parameters):
    job = submitting.submit(book, ranker="bm25", parameters=parameters)
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def value(group, slug):
    return group.line(slug).estimate.value


def test_stored_ranks_by_hand(book):
    job = builders.finished_job(book, list(book.excerpts.filter(size=1)))
    for excerpt, rank in zip(book.excerpts.filter(size=1).order_by("pk"), (1, 4, 7, 20), strict=True):
        Candidate.objects.filter(job=job, excerpt=excerpt).exclude(is_gold=True).delete()
        Candidate.objects.filter(job=job, excerpt=excerpt).update(rank=rank, scores={"bm25": 5.0})
        for place, score in enumerate((5.0, 9.0)[: rank // 4], 1):
            Candidate.objects.create(
                job=job, excerpt=excerpt, rank=100 + place, first=0, size=1, scores={"bm25": score}
            )
    found = rank_report(job, resamples=200, cutoff=6, now=NOW)
    whole = found.of_kind("all")[0]
    assert [value(whole, f"recall_at_{k}") for k in (1, 3, 5, 10, 50)] == [0.25, 0.25, 0.5, 0.75, 1]
    assert value(whole, "mean_rank") == 8
    # One excerpt has no negative; the others: tied with one, tied with one, below another.
    assert value(whole, PROXY) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    assert whole.line(PROXY).random == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert whole.line(PROXY).estimate.n_queries == 3
    assert (found.n_alone, found.n_beyond, found.n_changed) == (1, 2, None)
    assert whole.line("mean_rank").random == (book.n_sentences + 1) / 2
    assert whole.line("recall_at_3").random == 3 / book.n_sentences


@pytest.mark.parametrize(
    ("scores", "share"), [((2, 1), 1), ((1, 2), 0), ((1, 1), 1 / 2), ((3, 3, 3, 1), 1 / 3)]
)
def test_ties_share_the_first_place(scores, share):
    assert won(tuple(map(float, scores))) == pytest.approx(share)


def test_by_length_the_groups_add_up(book):
    found = rank_report(ran(book), resamples=100)
    whole, (one, two) = found.of_kind("all")[0], found.of_kind("length")
    assert [one.label, two.label] == ["1 sentence", "2 sentences"]
    assert (one.n_queries, two.n_queries, whole.n_queries) == (4, 1, 5)
    assert (one.mean_candidates, two.mean_candidates) == (book.n_sentences, book.n_sentences - 1)
    assert value(whole, "mrr") == pytest.approx((4 * value(one, "mrr") + value(two, "mrr")) / 5)


def test_long_quotations_share_a_row(book):
    critic = builders.source("second")
    for size in (6, 8):
        builders.excerpt(book, critic, 1, size=size)
    lengths = rank_report(ran(book), resamples=100).of_kind("length")
    assert [(group.label, group.n_queries) for group in lengths][-1] == ("6 or more", 2)


def test_contexts_are_ranked_as_rank_bm25_ranks_them(book):
    job = ran(book, left=1, right=1)
    known = options(job)
    found = by_context(job, known)
    assert [(each.left, each.right) for each in found] == list(CONTEXTS)
    assert [each.own for each in found] == [context == (1, 1) for context in CONTEXTS]
    for each in found:
        for place, key in enumerate(each.keys.tolist()):
            excerpt = Excerpt.objects.get(pk=key)
            passages = [words(text) for text in texts(book.text, book.bounds(), excerpt.size)]
            query = words(excerpt.context(each.left, each.right))
            scores = BM25Okapi(passages, k1=0.5, b=0.9).get_scores(query)
            own = scores[excerpt.first]
            assert each.ranks.lowest[place] == 1 + np.sum(scores > own)
            assert each.ranks.highest[place] == np.sum(scores >= own)
            assert each.won[place] == won(tuple(scores[list(known[key].firsts)].tolist()))


def test_the_jobs_own_context_is_found_again(book):
    job = ran(book, left=2, right=0)
    found = rank_report(job, resamples=100, contexts=True)
    assert [group.label for group in found.of_kind("context")] == [
        "0/1", "0/4", "1/0", "4/0", "1/1", "4/4", "2/0"
    ]  # fmt: skip
    assert found.n_changed == 0
    assert {row.against for each in found.compared for row in each.rows} == {"2/0"}
    Candidate.objects.filter(job=job, is_gold=True, excerpt__first=3).update(rank=23)
    Candidate.objects.filter(job=job, is_gold=True, excerpt__first=9).update(rank=24)
    changed = rank_report(job, resamples=100, contexts=True)
    assert 1 <= changed.n_changed <= 2
    assert "is not found again" in FORMATS["table"].render(changed)


def test_an_empty_side_ties_everything(book):
    Excerpt.objects.filter(book=book, size=1, first=3).update(right=[])
    job = ran(book, size=1)
    group = next(
        g for g in rank_report(job, resamples=100, contexts=True).of_kind("context") if g.label == "0/1"
    )
    assert group.n_empty == 1
    assert group.n_tied >= 1
    place = by_context(job, options(job), [(0, 1)])[0]
    assert place.ranks.expected[0] == (book.n_sentences + 1) / 2
    assert place.won[0] == pytest.approx(1 / 3)


def test_a_book_that_became_shorter_is_refused_in_one_sentence(book):
    job = ran(book)
    Candidate.objects.filter(job=job, is_gold=True, excerpt__first=3).update(rank=900)
    with pytest.raises(BadInput, match=r"at 900, but the book has 24 of them"):
        rank_report(job)


def test_progress_counts_excerpts(book):
    seen = []
    rank_report(ran(book), resamples=100, contexts=True, progress=lambda *at: seen.append(at))
    assert seen == [(4, 5), (5, 5)]


def test_jobs_are_compared_on_the_excerpts_they_share(book):
    first, second = ran(book), ran(book, size=1, k1=1.5)
    found = rank_report(first, resamples=100, against=[second])
    assert [each.slug for each in found.compared] == ["recall_at_1", "recall_at_10", "mean_rank"]
    row = found.compared[2].rows[0]
    ones = ranked(first).ranks.expected[ranked(first).sizes == 1]
    assert (row.name, row.against, row.n_queries) == (f"job {second.pk}", f"job {first.pk}", 4)
    assert row.difference == pytest.approx(ranked(second).ranks.expected.mean() - ones.mean())


def test_jobs_without_an_excerpt_in_common_are_refused(book):
    first, second = ran(book, size=1), ran(book, size=2)
    with pytest.raises(BadInput, match="have no excerpt in common"):
        rank_report(first, against=[second])


def test_the_same_rows_and_seed_give_the_same_report(book):
    job = ran(book)
    once = rank_report(job, resamples=300, contexts=True, now=NOW)
    assert FORMATS["json"].render(once) == FORMATS["json"].render(
        rank_report(CandidateJob.objects.get(pk=job.pk), resamples=300, contexts=True, now=NOW)
    )


def test_every_format_prints_the_same_numbers(book):
    found = rank_report(ran(book), resamples=200, contexts=True, now=NOW)
    data = json.loads(FORMATS["json"].render(found))
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(found))))
    table, latex = FORMATS["table"].render(found), FORMATS["latex"].render(found)
    in_csv = {(row["kind"], row["group"], row["number"]): row for row in rows}
    for group in data["groups"]:
        for number in group["numbers"]:
            row = in_csv[group["kind"], group["label"], number["number"]]
            assert float(row["value"]) == number["value"]
            assert int(row["n_queries"]) == number["n_queries"]
    rank = data["groups"][0]["numbers"][6]
    assert rank["number"] == "mean_rank"
    assert f"{rank['value']:.1f}" in table
    assert f"{rank['value']:.1f}" in latex
    assert r"\begin{table}" in latex
    assert r"\begin{table*}" in FORMATS["latex-twocolumn"].render(found)
    assert latex.count("{") == latex.count("}")
    assert "second study" in table
    markdown = FORMATS["markdown"].render(found)
    for group in found.groups[1:]:
        line = group.line("mean_rank")
        words = (tables.value(line, line.estimate.value), tables.interval(line, *line.estimate[1:3]))
        assert f"| {' '.join(filter(None, words))} |" in markdown
    assert markdown.count("\n### Difference in ") == len(found.compared)
    assert [row["against"] for row in rows if row["kind"] == "difference"] == ["4/4"] * 20


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (Status.DONE, "has no candidates: no excerpt"),
        (Status.QUEUED, "has no candidates yet: it is waiting."),
    ],
)
@pytest.mark.parametrize("form", FORMATS)
def test_a_job_without_candidates_says_so(book, status, sentence, form):
    job = builders.finished_job(book, [])
    CandidateJob.objects.filter(pk=job.pk).update(status=status)
    job.refresh_from_db()
    assert sentence in FORMATS[form].render(rank_report(job, contexts=True))


def test_a_job_that_runs_is_reported_as_far_as_it_is(book):
    job = builders.finished_job(book, list(book.excerpts.all()))
    CandidateJob.objects.filter(pk=job.pk).update(status=Status.RUNNING, total=9)
    job.refresh_from_db()
    assert "The job is not done: 5 of 9 excerpts so far." in FORMATS["table"].render(rank_report(job))

"""What a ranker does not rank: no candidate, no hit, and a gold without a score."""

import pytest

from annotation.studies.build import build_study
from common.errors import BadInput
from evaluation.ranking.comparison import compare
from evaluation.ranking.report import rank_report
from retrieval.candidates import outcome, pipeline, pool_export, submitting
from retrieval.candidates.more_negatives import more_negatives
from retrieval.models import Status
from retrieval.search.evidence import search
from retrieval.search.patience import index_cache
from tests import builders

pytestmark = pytest.mark.django_db
SENTENCES = [
    *(f"On day {number} the boats went out before the lamps were lit." for number in range(8)),
    *(f"Nobody spoke a word at table {number} that winter." for number in range(8)),
]
SHARED, NOTHING = 3, 12
"""Sentences that share boats and lamps with the context of every excerpt, and nothing."""


@pytest.fixture(autouse=True)
def nothing_prepared():
    index_cache.clear()


@pytest.fixture
def boats():
    book, critic = builders.book(sentences=SENTENCES), builders.source()
    for first in (SHARED, NOTHING):
        builders.excerpt(book, critic, first)
    return book


def ran(book, **parameters):
    job = submitting.submit(book, ranker="tesserae", parameters={"left": 4, "right": 0, **parameters})
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    assert job.status == Status.DONE, job.error
    return job


def by_gold(job, first):
    return list(job.candidates.filter(excerpt__first=first).order_by("-is_gold", "rank"))


@pytest.mark.parametrize("matching", [False, {"reuse": True}])
def test_a_gold_that_is_not_ranked_has_no_score_and_no_candidate_is_unranked(boats, matching):
    job = ran(boats, negatives=2, matching=matching)
    gold, *wrong = by_gold(job, NOTHING)
    # Behind the eight that are ranked, and those that are not and stand before it.
    assert (gold.rank, gold.scores) == (13, {"tesserae": None})
    assert len(wrong) == 2
    assert all(each.scores["tesserae"] is not None for each in (*wrong, *by_gold(job, SHARED)))


def test_a_gold_that_is_not_ranked_is_put_into_its_pool(boats):
    other = {"ranker": "bow"}
    job = ran(boats, pool={"size": 10, "with": [other]})
    gold, *wrong = by_gold(job, NOTHING)
    assert gold.scores["tesserae"] is None
    assert {each.scores["tesserae"] is None for each in wrong if each.first > 7} <= {True}
    alone = ran(boats, pool=10)
    assert [len(by_gold(alone, first)) for first in (SHARED, NOTHING)] == [8, 9]
    assert alone.counts["inserted"] == 1
    assert outcome.n_short(alone) == 2
    assert len(list(pool_export.export_pools(alone))) == 2


def test_reports_count_it_as_beaten(boats):
    report = rank_report(ran(boats, negatives=2, matching=False), contexts=True, resamples=100)
    # The context of the other names the number in its gold, which is the best by itself.
    assert report.of_kind("all")[0].line("proxy_accuracy").estimate.value == 0.5
    assert report.n_changed == 0


def test_what_is_not_ranked_ties_where_rankers_are_compared(boats):
    found = compare(boats, ["bm25", "tesserae"], resamples=100)
    row = next(each for each in found.rows if each.label == "tesserae 4/4")
    # The one gold is the best, the other one of eight behind eight.
    assert row.line("mean_rank").estimate.value == (1 + (9 + 16) / 2) / 2


def test_pages_name_no_score_for_it(boats, as_user, stan):
    job = ran(boats, negatives=2, matching=False)
    shown = outcome.preview(job, boats)
    assert [each.score for each in shown[1].options if each.candidate.is_gold] == [None]
    assert as_user(stan).get(job.get_absolute_url()).status_code == 200
    study = build_study(slug="boats", title="Boats", task="choice", job=job, overlap=1, seed=1, by=stan).study
    for number, item in enumerate(study.items.order_by("pk"), start=1):
        text = as_user(stan).get(f"/manage/boats/items/{number}/").content.decode()
        assert text.count("tesserae") == sum(
            each["scores"]["tesserae"] is not None for each in item.provenance["options"]
        )


def test_more_of_the_ranking_is_no_more_than_what_is_ranked(boats):
    job = ran(boats, negatives=2, matching=False)
    found = more_negatives(job, boats.excerpts.get(first=NOTHING), 20)
    assert sorted(each.first for each in found.candidates) == list(range(8))
    assert "8 more are not ranked at all" in found.reason


def test_a_search_shows_what_is_ranked(boats):
    hits = search(boats, "the boats and the lamps", ranker="tesserae")
    assert [hit.first for hit in hits] == list(range(8))
    with pytest.raises(BadInput, match=r"Tesserae ranks no passage of .* for this claim"):
        search(boats, "zeppelin boats", ranker="tesserae")
    with pytest.raises(BadInput, match="No word of the claim occurs"):
        search(boats, "zeppelin", ranker="tfidf")

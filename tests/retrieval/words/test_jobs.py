"""Jobs, pools, searches and comparisons that rank with tables of words."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from common.errors import BadInput
from evaluation.ranking.comparison import compare
from evaluation.ranking.report import rank_report
from evaluation.ranking.sentences import notes
from retrieval.candidates import outcome, pipeline, submission, submitting
from retrieval.candidates.more_negatives import more_negatives
from retrieval.engine.words import keeping
from retrieval.jobs import queue
from retrieval.jobs.attempts import Interrupted
from retrieval.models import Candidate, CandidateJob, Status
from retrieval.search.evidence import search
from retrieval.search.patience import index_cache

pytestmark = pytest.mark.django_db
LEMMAS = {"words": "lemmas"}


@pytest.fixture(autouse=True)
def forgotten():
    yield
    index_cache.clear()


def rows(job):
    fields = ("excerpt_id", "rank", "first", "size", "scores", "is_gold")
    return list(Candidate.objects.filter(job=job).order_by("excerpt", "rank").values_list(*fields))


def worked(job):
    pipeline.attempt(job.pk, "a worker")
    job.refresh_from_db()
    return job


@pytest.mark.parametrize("slug", ["tfidf-emb", "tesserae-wmd"])
def test_a_job_keeps_the_sha256_and_a_killed_one_gives_the_same_rows(slug, add, boats):
    vectors, lemmas = add("vectors", "sea"), add("lemmas", "english")
    whole, parts = (submitting.submit(boats, ranker=slug, parameters=LEMMAS) for _ in range(2))
    assert whole.words == {"vectors/sea": vectors.sha256, "lemmas/english": lemmas.sha256}
    assert (whole.parameters["vectors"], whole.parameters["lemmas"]) == ("sea", "english")
    assert worked(whole).status == Status.DONE
    first = queue.claim(parts.pk, "killed")
    with pytest.raises(Interrupted):
        pipeline.run(first, go_on=lambda job: job.done < 1, chunk=1)
    # Whoever was killed gives nothing back: the lease ends, and another process knows nothing of the tables.
    CandidateJob.objects.filter(pk=parts.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    keeping._opened.clear()
    resumed = queue.claim(parts.pk, "second")
    assert resumed.done == 1
    pipeline.run(resumed, chunk=1)
    assert rows(parts) == rows(whole)
    assert outcome.words_in_words(whole) == [
        ("Lemma table english", lemmas.sha256),
        ("Word vectors sea", vectors.sha256),
    ]


def test_a_table_that_changed_ends_the_job_with_a_sentence(add, boats):
    row = add("vectors", "sea")
    job = submitting.submit(boats, ranker="tfidf-emb", parameters={})
    (row.place / "words.txt").write_text("a\nb\n")
    assert worked(job).status == Status.FAILED
    assert "is not what was kept" in job.error


def test_a_pool_fuses_rankings_that_name_tables(add, boats):
    row = add("lemmas", "english")
    pool = {"size": 10, "with": [{"ranker": "tfidf", **LEMMAS}, {"ranker": "tfidf"}]}
    job = worked(submitting.submit(boats, ranker="bm25", parameters={"pool": pool}))
    assert job.status == Status.DONE, job.error
    assert job.words == {"lemmas/english": row.sha256}
    assert "tfidf lemmas=english words=lemmas" in rows(job)[0][4]
    assert "tfidf words=tokens" in rows(job)[0][4]


def test_more_negatives_and_a_submission_open_the_tables_again(add, boats):
    add("vectors", "sea")
    job = worked(submitting.submit(boats, ranker="tfidf-emb", parameters={"negatives": 1, "matching": False}))
    more = more_negatives(job, job.excerpts.first(), 3)
    assert len(more.candidates) == 3, more.reason
    assert len(submission.of_job(job)) == 3


def test_the_search_of_a_book_ranks_with_tables(add, boats):
    with pytest.raises(BadInput, match=r"tfidf-emb needs word vectors.*add_words vectors FILE --name NAME"):
        search(boats, "boats in the morning", ranker="tfidf-emb")
    add("vectors", "sea"), add("lemmas", "english")
    assert search(boats, "boats in the morning", ranker="tfidf-emb vectors=sea")
    by_lemma = search(boats, "boat", ranker="tfidf words=lemmas")
    assert any("boats" in hit.text.lower() for hit in by_lemma)


def test_the_comparison_names_the_tables(add, boats):
    row = add("lemmas", "english")
    found = compare(boats, ["bm25", "tfidf words=lemmas"], contexts=[(4, 4)], resamples=99)
    assert f"lemmas/english sha256 {row.sha256[:12]}" in found.notes[1]
    job = worked(submitting.submit(boats, ranker="tfidf", parameters=LEMMAS))
    said = notes(rank_report(job, resamples=99))
    assert f"Known of words: Lemma table english, sha256 {row.sha256}." in said


class TestSaysWhatIsMissing:
    SAYS = (
        "needs word vectors. No word vectors are here yet; add some with "
        "manage.py add_words vectors FILE --name NAME"
    )

    def test_on_the_page(self, data, boats, as_user, stan):
        browser = as_user(stan)
        form = browser.get("/books/boats/generate/").context["form"]
        fields = {name: form[name].value() for name in form.fields if form[name].value() is not None}
        shown = browser.post("/books/boats/generate/", {**fields, "ranker": "tfidf-emb"})
        assert shown.status_code == 422
        assert self.SAYS in shown.content.decode()
        assert (
            "manage.py add_words vectors FILE --name NAME"
            in browser.get("/books/boats/search/").content.decode()
        )

    def test_in_the_command(self, data, boats):
        with pytest.raises(CommandError, match=self.SAYS):
            call_command("generate", "--book=boats", "--ranker=tfidf-emb", stdout=StringIO())

    def test_in_the_api(self, data, boats, as_user, stan):
        asked = {"book": "boats", "ranker": "tfidf-emb"}
        answer = as_user(stan).post("/api/v1/jobs/", asked, content_type="application/json")
        assert answer.status_code == 400
        assert self.SAYS in answer.json()["parameters"][0]
        assert not CandidateJob.objects.exists()


def test_the_page_of_a_job_offers_and_shows_tables(add, boats, as_user, stan):
    row, browser = add("vectors", "sea"), as_user(stan)
    page = browser.get("/books/boats/generate/")
    assert ("sea", "sea") in page.context["form"].fields["tfidf-emb-vectors"].choices
    fields = {n: page.context["form"][n].value() for n in page.context["form"].fields}
    asked = {name: value for name, value in fields.items() if value is not None}
    answer = browser.post("/books/boats/generate/", {**asked, "ranker": "tfidf-emb"}, follow=True)
    assert row.sha256 in answer.content.decode()


def test_the_page_of_a_search_ranks_by_a_choice_of_its_form(add, boats, as_user, dora):
    add("vectors", "sea"), add("lemmas", "english")
    choice = "tfidf-emb vectors=sea words=lemmas lemmas=english"
    asked = {"claim": "a boat", "size": 1, "ranker": choice}
    page = as_user(dora).get("/books/boats/search/", asked)
    assert choice in dict(page.context["form"].fields["ranker"].choices)
    shown = page.content.decode()
    assert "Not offered" not in shown
    assert "boats of the" in shown

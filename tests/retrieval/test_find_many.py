"""Many sources for many books in one job: pair by pair, whole, resumed, none done twice."""

import json
import re
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from common.errors import BadInput
from common.progress import here
from retrieval.curating import exclusions
from retrieval.jobs import attempts, child_process, queue
from retrieval.loading import import_source, many
from retrieval.loading import jobs as loadings
from retrieval.models import Book, Comparison, Excerpt, LoadingJob, Source, Status
from tests import builders
from tests.retrieval import processes
from tests.retrieval.quay import ESSAY

pytestmark = pytest.mark.django_db


class Here:
    """Computes in this process: what a child of its own does is tested in test_loading_jobs."""

    def __init__(self, seconds, watch):
        self.watch = watch

    def __enter__(self):
        def compute(function, *given, progress=None):
            self.watch()
            return here(function, *given, progress=progress)

        return compute

    def __exit__(self, *_):
        pass


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    monkeypatch.setattr(child_process, "ChildProcess", Here)


@pytest.fixture
def shelf(quay, critic):
    """Two books in two sources: the essay quotes one of the books twice, and so does its copy."""
    builders.book("boats")
    import_source(ESSAY.encode(), name="e", slug="copy", citation="Copy 1912")
    return list(Source.objects.order_by("slug")), list(Book.objects.order_by("slug"))


def submitted(shelf, **how):
    return loadings.submit_searches(many.pairs(*shelf, **how))


def attempted(job, **options):
    assert loadings.attempt(job.pk, "w", **options)
    job.refresh_from_db()
    return job


class TestPairs:
    def test_every_source_with_every_book(self, shelf):
        found = many.pairs(*shelf)
        assert found.wanted == [
            ("copy", "boats"), ("copy", "quay"), ("critic", "boats"), ("critic", "quay")
        ]  # fmt: skip
        assert many.left_out(found) == []

    def test_two_languages_and_what_this_version_searched_are_left_out_and_said(self, shelf):
        Book.objects.filter(slug="boats").update(language="fr-CA")
        shelf = list(Source.objects.order_by("slug")), list(Book.objects.order_by("slug"))
        attempted(submitted((shelf[0][:1], shelf[1])))
        found = many.pairs(*shelf)
        assert found.wanted == [("critic", "quay")]
        assert many.left_out(found) == [
            "2 pairs left out: in two languages.",
            "1 pair left out: this version has searched them already.",
        ]
        assert len(many.pairs(*shelf, again=True).wanted) == 2
        Comparison.objects.update(code_version="0.0")
        assert len(many.pairs(*shelf).wanted) == 2

    def test_nothing_left_and_too_many_are_refused(self, shelf, monkeypatch):
        with pytest.raises(BadInput, match=r"no pair to search\.$"):
            many.pairs(shelf[0], [])
        monkeypatch.setattr(many, "MOST", 3)
        with pytest.raises(BadInput, match="4 pairs of source and book; a job takes at most 3"):
            many.pairs(*shelf)


class TestJob:
    def test_it_stores_what_a_search_of_each_pair_stores(self, shelf):
        job = attempted(submitted(shelf))
        assert (job.status, job.done, job.total, job.error) == (Status.DONE, 4, 4, "")
        assert [(each.source, each.book, each.new, each.known) for each in many.results(job)] == [
            ("copy", "boats", 0, 0),
            ("copy", "quay", 2, 0),
            ("critic", "boats", 0, 0),
            ("critic", "quay", 2, 0),
        ]
        assert sum(each.n_dropped for each in many.results(job)) == sum(
            len(each.dropped) for each in Comparison.objects.all()
        )
        assert Excerpt.objects.count() == 4
        again = attempted(submitted(shelf, again=True))
        assert [(each.new, each.known) for each in many.results(again)] == [(0, 0), (0, 2), (0, 0), (0, 2)]
        assert Excerpt.objects.count() == 4

    def test_asked_for_twice_it_is_one_job_until_it_has_ended(self, shelf):
        job = submitted(shelf)
        assert submitted(shelf) == job
        assert submitted((shelf[0][:1], shelf[1])) != job
        attempted(job)
        assert submitted(shelf, again=True) != job

    def test_cancelled_between_pairs_what_was_found_stays_and_a_retry_goes_on(self, shelf, monkeypatch):
        monkeypatch.setattr(loadings, "BEAT", 0.0)
        job, searched = submitted(shelf), []
        real = many.search

        def search(book, source, *given, **named):
            searched.append((source.slug, book.slug))
            return real(book, source, *given, **named)

        def go_on(at):
            if len(searched) == 3:
                queue.cancel(job.pk, LoadingJob)
            return True

        monkeypatch.setattr(many, "search", search)
        attempted(job, go_on=go_on)
        assert (job.status, job.done, len(many.results(job))) == (Status.CANCELLED, 2, 2)
        assert Excerpt.objects.count() == 2
        assert loadings.retry(job)
        attempted(job)
        assert (job.status, job.done, len(many.results(job))) == (Status.DONE, 4, 4)
        assert searched == [
            *many.pairs(*shelf, again=True).wanted[:3],
            *many.pairs(*shelf, again=True).wanted[2:],
        ]
        assert Excerpt.objects.count() == 4

    def test_interrupted_it_goes_back_to_the_queue_with_what_it_has(self, shelf, monkeypatch):
        monkeypatch.setattr(loadings, "BEAT", 0.0)
        job = attempted(submitted(shelf), go_on=lambda at: at.done < 2)
        assert (job.status, job.done, job.attempts) == (Status.QUEUED, 2, 0)
        assert attempted(job).status == Status.DONE

    def test_a_lease_that_is_lost_in_a_pair_leaves_nothing_of_that_pair(self, shelf, monkeypatch):
        job = queue.claim(submitted(shelf).pk, "w", LoadingJob)
        monkeypatch.setattr(queue, "renew_lease", lambda *_, **__: False)
        with pytest.raises(attempts.LeaseLost):
            many.run(job, lambda: None)
        assert not Comparison.objects.exists()
        assert not Excerpt.objects.exists()

    def test_a_pair_that_cannot_be_searched_is_told_and_the_next_one_begins(self, shelf, monkeypatch):
        job = submitted(shelf)
        exclusions.exclude(shelf[0][0], book=shelf[1][0], span=None, reason="index", by=None, now=job.created)
        Book.objects.filter(slug="quay").update(slug="wharf")
        refusals = [each.refusal for each in many.results(attempted(job))]
        assert "is excluded from the book" in refusals[0]
        assert refusals[1:] == ["It was deleted meanwhile.", "", "It was deleted meanwhile."]
        assert job.status == Status.DONE

    @pytest.mark.parametrize(
        ("error", "sentence"),
        [
            (child_process.TimeLimitReached(), "It took longer than 30 min, the longest a pair may take."),
            (child_process.ChildDied("It was killed."), "It was killed."),
        ],
    )
    def test_so_is_one_that_takes_too_long_or_kills_its_child(
        self, shelf, monkeypatch, settings, error, sentence
    ):
        settings.LOADING_SECONDS = 1800
        real = many.search

        def search(book, source, *given, **named):
            if (source.slug, book.slug) == ("copy", "quay"):
                raise error
            return real(book, source, *given, **named)

        monkeypatch.setattr(many, "search", search)
        refusals = [each.refusal for each in many.results(attempted(submitted(shelf)))]
        assert refusals == ["", sentence, "", ""]

    def test_a_transaction_that_is_repeated_tells_the_pair_once(self, shelf):
        """`storing.write` repeats it where somebody else inserted the same row."""
        job = queue.claim(submitted(shelf).pk, "w", LoadingJob)
        keep = many._keeper(job)
        for _ in range(2):
            keep(many.PairFound("copy", "boats", 1))
        assert (job.done, len(many.results(job))) == (1, 1)

    def test_the_sums_stand_in_the_job(self, shelf):
        job = attempted(submitted(shelf))
        assert (job.counts["new"], job.counts["known"]) == (4, 0)
        assert job.counts["n_dropped"] == sum(each.n_dropped for each in many.results(job))

    def test_what_the_version_before_counted_becomes_rows_and_back(self, shelf):
        job = submitted(shelf)
        found = [many.PairFound("copy", "boats", dropped={"short": 2}), many.PairFound("copy", "quay", 2, 1)]
        LoadingJob.objects.filter(pk=job.pk).update(counts={"pairs": [each._asdict() for each in found]})
        migration = import_module("retrieval.migrations.0014_searched_pairs")
        migration.into_rows(apps, None)
        job.refresh_from_db()
        assert many.results(job) == found
        assert job.counts == {"new": 2, "known": 1, "set_aside": 0, "n_dropped": 2}
        migration.into_counts(apps, None)
        job.refresh_from_db()
        assert job.counts == {"pairs": [each._asdict() for each in found]}


class TestPage:
    def test_chosen_by_boxes_and_followed(self, as_user, stan, shelf):
        staff = as_user(stan)
        assert "/sources/find/" in staff.get("/sources/").text
        text = staff.get("/sources/find/").text
        assert re.findall(r'name="books" value="(\w+)"', text) == ["boats", "quay"]
        response = staff.post("/sources/find/", {"sources": ["copy"], "all_books": "on"})
        job = LoadingJob.objects.get()
        assert response["Location"] == f"/loading/{job.pk}/"
        assert job.facts == {"pairs": [["copy", "boats"], ["copy", "quay"]]}
        assert "0 of 2 pairs" in staff.get(f"/loading/{job.pk}/").text
        assert "2 books in 1 source" in staff.get("/jobs/").text

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"all_books": "on"}, "Tick at least one of the sources, or all of them."),
            ({"all_sources": "on"}, "Tick at least one of the books, or all of them."),
            ({"all_books": "on", "sources": ["none"]}, "none is not one of the available choices"),
        ],
    )
    def test_refused_beside_the_list(self, as_user, stan, shelf, data, sentence):
        response = as_user(stan).post("/sources/find/", data)
        assert response.status_code == 422
        assert sentence in response.text
        assert not LoadingJob.objects.exists()

    def test_what_was_found_pair_by_pair_with_links(self, as_user, stan, dora, shelf):
        job = attempted(submitted(shelf))
        exclusions.exclude(shelf[0][0], book=None, span=None, reason="x", by=None, now=job.created)
        text = as_user(dora).get(f"/loading/{job.pk}/").text
        assert "4 new excerpts in 4 pairs" in text
        assert 'href="/excerpts/?source=copy&amp;book=quay"' in text
        assert "/sources/copy/matches/?book=quay#dropped" in text
        again = attempted(submitted(shelf, again=True))
        assert "(x)" in as_user(dora).get(f"/loading/{again.pk}/").text

    def test_a_page_of_a_job_whose_book_was_deleted_still_reads(self, as_user, stan, shelf):
        job = attempted(submitted(shelf))
        Book.objects.filter(slug="quay").update(slug="gone")
        assert as_user(stan).get(f"/loading/{job.pk}/").status_code == 200

    def test_cancelled_it_says_what_stays(self, as_user, stan, shelf):
        job = submitted(shelf)
        text = as_user(stan).post(f"/loading/{job.pk}/cancel/", follow=True).text
        assert "What it found is kept; a retry goes on from there." in text


class TestCommand:
    def call(self, *given):
        out, told = StringIO(), StringIO()
        call_command("find_excerpts", *given, stdout=out, stderr=told)
        return out.getvalue()

    def test_a_whole_shelf_in_a_table(self, shelf):
        said = self.call("--all-books", "--all-sources")
        assert said.splitlines()[0].endswith(": quotations of 2 books in 2 sources, 4 pairs.")
        assert re.search(r"^copy on quay +2 +2 +0 +\d+$", said, re.MULTILINE)
        assert re.search(r"^all +4 +4 +0 +\d+$", said, re.MULTILINE)
        with pytest.raises(CommandError, match=r"no pair to search\. 4 pairs left out: this version"):
            self.call("--all-books", "--all-sources")
        assert re.search(r"^all +4 +0 +4 +\d+$", self.call("--all-books", "--all-sources", "--again"), re.M)

    def test_some_by_name(self, shelf):
        self.call("--book", "quay", "--book", "boats", "--source", "copy")
        assert LoadingJob.objects.get().facts == {"pairs": [["copy", "quay"], ["copy", "boats"]]}

    def test_stopped_and_resumed(self, shelf, monkeypatch):
        real, calls = many.search, []

        def search(book, source, *given, **named):
            calls.append(source.slug)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return real(book, source, *given, **named)

        monkeypatch.setattr(many, "search", search)
        with pytest.raises(CommandError, match=r"Stopped at 1 of 4.*--resume") as stopped:
            self.call("--all-books", "--all-sources")
        assert stopped.value.returncode == 130
        job = LoadingJob.objects.get()
        assert (job.status, job.done) == (Status.QUEUED, 1)
        assert "4 pairs" in self.call("--resume", str(job.pk))
        assert len(calls) == 5

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            (["--all-books"], "--source SLUG"),
            (["--source", "copy"], "--book SLUG"),
            (["--resume", "77"], "There is no search 77 of many pairs."),
            (["--book", "quay", "--all-books", "--source", "copy"], "not allowed with"),
        ],
    )
    def test_what_is_missing_is_said(self, shelf, given, sentence):
        with pytest.raises(CommandError, match=sentence):
            self.call(*given)


SUBMIT = """
from retrieval import loading
from retrieval.loading import jobs as loading_jobs, many
from retrieval.models import Book, Excerpt, LoadingJob, Source
from tests.retrieval.quay import ESSAY, NOVEL
settings.JOB_LEASE_SECONDS = 0
facts = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
loading.import_book(NOVEL.encode(), name="n", **facts)
for slug in ("one", "two", "three"):
    loading.import_source(ESSAY.encode(), name="e", slug=slug, citation=slug)
found = many.pairs(Source.objects.order_by("pk"), list(Book.objects.all()), again=True)
pk = loading_jobs.submit_searches(found).pk
"""
FIRST = """
store = Excerpt.objects.bulk_create

def bulk_create(rows, **options):
    store(rows, **options)
    if LoadingJob.objects.get().done == 1:
        here_i_stand("standing")

Excerpt.objects.bulk_create = bulk_create
loading_jobs.run(queue.claim(pk, "first", LoadingJob))
"""
SECOND = """
import json
job = LoadingJob.objects.get()
told = {"before": [job.done, Excerpt.objects.count()]}
loading_jobs.attempt(job.pk, "second")
job.refresh_from_db()
rows = [[each.source, each.new, each.known] for each in many.results(job)]
print(json.dumps(told | {"after": rows, "status": job.status, "excerpts": Excerpt.objects.count()}))
"""


@pytest.mark.services
def test_killed_in_the_second_pair_it_goes_on_with_the_second(folder):
    """Killed inside the transaction that stores what the second pair gave."""
    alone = processes.alone(folder)
    with processes.started(alone, "-c", processes.PREPARED + SUBMIT + FIRST) as first:
        first.until("standing")
        first.kill()
    with processes.started(alone, "-c", processes.PREPARED + SUBMIT + SECOND) as second:
        found = json.loads(second.until('{"before"'))
    assert found["before"] == [1, 2]
    assert found["after"] == [["one", 2, 0], ["two", 2, 0], ["three", 2, 0]]
    assert (found["status"], found["excerpts"]) == ("done", 6)

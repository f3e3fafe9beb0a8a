"""Deletion: only of what nothing stands on, whole, with a line that remains."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError
from django.db.models import ProtectedError
from django.urls import reverse
from django.utils import timezone

from annotation.people.tokens import issue
from annotation.studies import trash
from common.errors import BadInput
from retrieval.curating import deletion, excerpts, exclusions
from retrieval.curating.dependents import dependents
from retrieval.dense import kept_vectors
from retrieval.engine.dense import ranker, vectors
from retrieval.engine.text import passages
from retrieval.jobs import queue
from retrieval.models import (
    Book,
    Candidate,
    CandidateJob,
    Checkpoint,
    Comparison,
    Curation,
    Deletion,
    EncodingJob,
    Excerpt,
    Exclusion,
    LoadingJob,
    Source,
    Status,
    TrainingJob,
)
from tests import builders

pytestmark = pytest.mark.django_db


def delete(row, by=None, reason="A test import"):
    return deletion.delete(row, reason=reason, by=by, now=timezone.now())


def words(row):
    return [each.words for each in dependents(row)]


@pytest.fixture
def quoted():
    """An excerpt of a book in a source."""
    return builders.excerpt(builders.book(), builders.source())


@pytest.fixture
def job(quoted):
    return builders.finished_job(quoted.book, [quoted])


class TestWhatStandsOnIt:
    def test_from_the_study_down_each_holds_the_one_below(self, quoted, job, dora):
        study = builders.study("fleet", by=dora)
        study.job = job
        study.save()
        training = TrainingJob.objects.create(name="tiny", code_version="t", status=Status.FAILED)
        training.excerpts.add(quoted)
        assert words(job) == ["study “fleet”, which only its researchers can delete"]
        assert words(quoted) == [f"job {job.pk}", f"training {training.pk}: tiny"]
        assert [each.address for each in dependents(job)] == [""]  # staff see no page of the study
        assert words(quoted.source) == ["1 excerpt"]
        assert words(quoted.book) == ["1 excerpt", f"job {job.pk}"]
        for row in (job, quoted, quoted.source, quoted.book):
            with pytest.raises(BadInput, match="cannot be deleted, because of what stands on it"):
                delete(row)
        assert (CandidateJob.objects.count(), Candidate.objects.count()) == (1, 3)
        assert not Deletion.objects.exists()

    def test_items_of_another_jobs_candidates_and_studies_in_the_trash(self, quoted, job, dora):
        study = builders.study("fleet", by=dora)
        item = study.items.first()
        item.excerpt, item.provenance = quoted, {"job": job.pk}
        item.save()
        assert words(job) == ["study “fleet”, which only its researchers can delete"]
        assert words(quoted) == [f"job {job.pk}", "study “fleet”, which only its researchers can delete"]
        trash.move_to_trash(study, typed="fleet", by=dora, now=timezone.now())
        assert words(job) == ["study “fleet”, in the trash until it is purged"]
        assert dependents(job)[0].address == ""

    def test_a_training_that_learned_from_a_jobs_wrong_passages(self, quoted, job):
        plan = {"negatives": [job.pk]}
        learned = TrainingJob.objects.create(name="hard", code_version="t", plan=plan)
        TrainingJob.objects.create(name="other", code_version="t", plan={"negatives": [job.pk + 1]})
        assert words(job) == [f"training {learned.pk}: hard"]

    def test_an_excerpt_with_other_borders_is_held_by_the_one_before_it(self, quoted):
        borders = excerpts.Borders(quoted.first, quoted.size + 1, 1, 1)
        made = excerpts.move(quoted, borders, reason="longer", by=None, now=timezone.now())
        assert words(made) == [f"excerpt {quoted.pk}, which it supersedes"]
        delete(Excerpt.objects.get(pk=quoted.pk))
        delete(made)
        assert not Excerpt.objects.exists()
        assert not Curation.objects.exists()

    def test_a_model_holds_its_training(self):
        training = builders.finished_training(builders.book())
        assert words(training) == ["the model trained (toy model), which came of it and stays"]

    @pytest.mark.parametrize("of", [CandidateJob, LoadingJob])
    def test_what_has_not_ended_is_cancelled_first(self, quoted, job, of):
        if of is LoadingJob:
            job = LoadingJob.objects.create(
                work="find", book=quoted.book, source=quoted.source, code_version="t"
            )
            assert words(quoted.source)[1:] == [f"search {job.pk}, which has not ended"]
        else:
            CandidateJob.objects.update(status=Status.RUNNING)
            job.refresh_from_db()
        with pytest.raises(BadInput, match="has not ended; cancel it first"):
            delete(job)
        queue.cancel(job.pk, of)
        delete(job)
        assert not of.objects.exists()

    @pytest.mark.parametrize("error", [IntegrityError, ProtectedError])
    def test_what_was_built_between_look_and_deletion_is_kept_by_the_database(
        self, quoted, job, monkeypatch, error
    ):
        """Nobody saw it: the constraint is what holds."""
        raised = error("held", set()) if error is ProtectedError else error("held")
        monkeypatch.setattr(deletion, "why_not", lambda row: "")

        def refuse(row):
            raise raised

        monkeypatch.setattr(deletion, "_delete_its_own", refuse)
        with pytest.raises(BadInput, match="meanwhile; nothing was deleted"):
            delete(job)
        assert CandidateJob.objects.exists()
        assert not Deletion.objects.exists()

    def test_the_database_itself_protects_what_a_study_uses(self, job, dora):
        study = builders.study("fleet", by=dora)
        study.job = job
        study.save()
        with pytest.raises(ProtectedError):
            job.delete()


class TestWhatGoes:
    def test_from_the_job_up_everything_can_go_and_leaves_a_line(self, quoted, job, stan):
        book, source, now = quoted.book, quoted.source, timezone.now()
        exclusions.exclude(source, book=book, span=None, reason="an edition", by=stan, now=now)
        Comparison.objects.create(book=book, source=source, code_version="t", at=now)
        EncodingJob.objects.create(book=book, size=1, ranker="dense", code_version="t", status=Status.DONE)
        LoadingJob.objects.create(work="find", book=book, source=source, code_version="t", status=Status.DONE)
        for row in (job, quoted, book, source):
            delete(row, by=stan)
        for of in (
            CandidateJob,
            Candidate,
            Excerpt,
            Curation,
            Exclusion,
            Comparison,
            EncodingJob,
            LoadingJob,
        ):
            assert not of.objects.exists(), of
        assert not Book.objects.exists()
        assert not Source.objects.exists()
        lines = list(Deletion.objects.order_by("pk").values_list("kind", "name", "reason", "by"))
        assert [line[:2] for line in lines] == [
            ("candidates", f"Job {job.pk} on The Boats"),
            ("excerpt", f"Excerpt {quoted.pk} on The Boats"),
            ("book", "The Boats"),
            ("source", "Critic 1911"),
        ]
        assert {line[2:] for line in lines} == {("A test import", stan.pk)}
        kept = Deletion.objects.get(kind="book").facts
        assert (kept["slug"], kept["sha256"]) == ("boats", book.sha256)
        assert kept["with_it"] == [
            "its text",
            "1 comparison",
            "1 exclusion",
            "1 search or import of it in the list of jobs",
            "1 encoding",
        ]

    def test_a_reason_is_needed(self, quoted):
        with pytest.raises(BadInput, match="reason is missing"):
            delete(quoted, reason=" ")
        assert Excerpt.objects.exists()

    def test_twice_is_once(self, quoted):
        delete(Excerpt.objects.get(pk=quoted.pk))
        with pytest.raises(BadInput, match="gone already"):
            delete(quoted)
        assert Deletion.objects.count() == 1

    def test_the_vectors_of_a_book_go_and_those_of_others_stay(
        self, settings, tmp_path, django_capture_on_commit_callbacks
    ):
        settings.DATA_DIR = tmp_path
        row = Checkpoint.objects.create(slug="toy", folder="checkpoints/toy", sha256="0" * 64)
        book, other = builders.book(), builders.novel("other")
        known = ranker.Checkpoint(row.place, row.sha256, vectors=tmp_path / "vectors")
        files = {}
        for each in (book, other):
            texts = passages.texts(each.text, each.bounds(), 2)
            places = ranker.places(known, texts)
            files[each] = [places[0], ranker.places(known, texts, of="tokens", punctuation="keep")[-1]]
            for place in files[each]:
                vectors.fill(place, (1, 2), lambda put: put(0, np.ones((1, 2), dtype=np.float32)))
        with django_capture_on_commit_callbacks(execute=True):
            delete(book)
        assert [place.exists() for place in files[book]] == [False, False]
        assert [place.exists() for place in files[other]] == [True, True]
        assert kept_vectors.remove(other) == 2

    def test_the_epochs_of_a_training_go_with_it(
        self, settings, tmp_path, django_capture_on_commit_callbacks
    ):
        settings.DATA_DIR = tmp_path
        epochs = tmp_path / "training" / "tiny" / "epochs"
        epochs.mkdir(parents=True)
        failed = TrainingJob.objects.create(name="tiny", code_version="t", status=Status.FAILED)
        with django_capture_on_commit_callbacks(execute=True):
            delete(failed)
        assert not epochs.parent.exists()
        assert epochs.parent.parent.exists()


class TestPages:
    def test_what_stands_on_it_is_named_with_links_and_there_is_no_button(self, as_user, stan, quoted, job):
        text = as_user(stan).get(f"/books/{quoted.book.slug}/delete/").text
        assert '<a href="/excerpts/?book=boats&amp;standing=all">1 excerpt</a>' in text
        assert f'<a href="/jobs/{job.pk}/">job {job.pk}</a>' in text
        assert "Delete it for good" not in text

    def test_confirmed_with_a_reason_and_listed(self, as_user, stan, dora, quoted):
        staff, url = as_user(stan), reverse("retrieval:excerpt_delete", args=[quoted.pk])
        assert "The next search of its source finds it again" in staff.get(url).text
        refused = staff.post(url, {"reason": ""})
        assert (refused.status_code, Excerpt.objects.count()) == (422, 1)
        assert staff.post(url, {"reason": "Imported by mistake"})["Location"] == "/excerpts/"
        assert staff.get(url).status_code == 404
        listed = as_user(dora).get("/deleted/").text
        assert f"Excerpt {quoted.pk} on The Boats" in listed
        assert "Imported by mistake" in listed

    def test_posted_at_what_something_stands_on_is_refused_in_words(self, as_user, stan, quoted, job):
        response = as_user(stan).post(f"/excerpts/{quoted.pk}/delete/", {"reason": "x"})
        assert response.status_code == 422
        assert f"job {job.pk}" in response.text
        assert Excerpt.objects.exists()

    @pytest.mark.parametrize("kind", ["job", "loading", "training"])
    def test_jobs_of_each_kind_lead_there_once_they_have_ended(self, as_user, stan, quoted, job, kind):
        rows = {
            "job": job,
            "training": TrainingJob.objects.create(name="tiny", code_version="t", status=Status.FAILED),
            "loading": LoadingJob.objects.create(
                work="find", book=quoted.book, source=quoted.source, code_version="t", status=Status.FAILED
            ),
        }
        url = reverse(f"retrieval:{kind}_delete", args=[rows[kind].pk])
        if kind != "training":  # whose page needs a whole plan
            assert url in as_user(stan).get(rows[kind].get_absolute_url()).text
        assert as_user(stan).post(url, {"reason": "tried out"}).status_code == 302
        assert Deletion.objects.get().reason == "tried out"

    def test_scripts_delete_jobs_too(self, as_user, stan, job, dora):
        url = f"/api/v1/jobs/{job.pk}/"
        kind = {"content_type": "application/json"}
        assert as_user(stan).delete(url, {}, **kind).json() == {"reason": ["This field is required."]}
        study = builders.study("fleet", by=dora)
        study.job = job
        study.save()
        refused = as_user(stan).delete(url, {"reason": "old"}, **kind)
        assert (refused.status_code, "study “fleet”" in refused.json()["job"][0]) == (400, True)
        study.job = None
        study.save()
        assert as_user(stan).delete(url, {"reason": "old"}, **kind).status_code == 204
        assert Deletion.objects.get().by == stan

    def test_a_key_given_out_for_jobs_deletes_none(self, client, stan, job):
        url, kind = f"/api/v1/jobs/{job.pk}/", {"content_type": "application/json"}
        keys = {
            scopes: issue(stan, " ".join(scopes), scopes, timezone.now() + timedelta(days=1))[1]
            for scopes in (("jobs",), ("delete",), ("delete", "jobs"))
        }

        def sent(method, *scopes):
            headers = {"Authorization": f"Bearer {keys[scopes]}"}
            return getattr(client, method)(url, {"reason": "old"}, headers=headers, **kind)

        refused = sent("delete", "jobs")
        assert refused.status_code == 403
        assert refused.json() == {"detail": "This token has not the scope that this address needs: delete."}
        assert sent("delete", "delete").json()["detail"].endswith("needs: jobs.")
        assert client.get(url, headers={"Authorization": f"Bearer {keys['jobs',]}"}).status_code == 200
        assert not Deletion.objects.exists()
        assert sent("delete", "delete", "jobs").status_code == 204
        assert Deletion.objects.get().by == stan

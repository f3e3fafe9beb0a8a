"""Training as a job: frozen, followed, stopped in every way, and gone on with to the same weights."""

import json
import math

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from common.errors import BadInput
from retrieval import tasks
from retrieval.candidates import submitting
from retrieval.engine.dense import folder
from retrieval.engine.training.recipe import Recipe
from retrieval.jobs import queue as jobs
from retrieval.models import Book, CandidateJob, Checkpoint, Standing, Status, TrainingBook, TrainingJob
from retrieval.training import plan as training_plan
from retrieval.training import progress, run
from retrieval.training.plan import Plan
from tests import builders
from tests.retrieval.dense.later import torch, training

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(small_toys):
    pass


def plan(name="tiny", **fields):
    recipe = {"batch": 4, "epochs": 3, "patience": 9, "scale": 20.0, "rate": 1e-3, **fields.pop("recipe", {})}
    settings, _ = training_plan.encoder_settings("", {})
    asked = {"books": ("boats",), "validate": ("ships",), "settings": settings, **fields}
    return Plan(name, recipe=Recipe(**recipe), **asked)


def row(job):
    return TrainingJob.objects.get(pk=job.pk)


def work(job, **options):
    assert run.attempt(job.pk, "one", **options)
    return row(job)


def told_to_stop(epochs):
    """Says no to go on once so many epochs are kept."""
    return lambda job: len(job.curve) < epochs


def weights(name, data):
    return {
        which: (data / "checkpoints" / name / which / "model.safetensors").read_bytes()
        for which in ("context", "quotation")
    }


class TestSubmit:
    def test_the_row_freezes_what_was_in_use_on_that_day(self, books, stan):
        job = training_plan.submit(plan(test=("lamps",)), by=stan)
        assert [(each.book.slug, each.split) for each in job.splits.all()] == [
            ("boats", "train"), ("ships", "validate"), ("lamps", "test"),
        ]  # fmt: skip
        books[0].excerpts.update(standing=Standing.REJECTED)
        assert job.excerpts.count() == 18
        assert (job.created_by, job.queue, job.status) == (stan, "cpu", Status.QUEUED)
        assert job.code_version == jobs.code_version()
        assert training_plan.plan_of(row(job)) == plan(test=("lamps",))

    def test_the_database_keeps_a_book_in_one_split(self, books):
        job = training_plan.submit(plan())
        with pytest.raises(IntegrityError), transaction.atomic():
            TrainingBook.objects.create(job=job, book=books[0], split="test")

    def test_a_gpu_that_is_asked_for_has_its_own_queue_and_must_be_there(self, books, settings, monkeypatch):
        settings.DEVICE = "cuda"
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        job = training_plan.submit(plan())
        assert (job.queue, jobs.claimable(["cpu"], TrainingJob)) == ("gpu", [])
        failed = work(job)
        assert (failed.status, failed.attempts) == (Status.FAILED, 1)
        assert "GPU" in failed.error

    @pytest.mark.parametrize(
        ("fields", "says"),
        [
            ({"validate": ("boats",)}, "The book boats is in both splits"),
            ({"test": ("ships",)}, "The book ships is in both splits"),
            ({"validate": ()}, "Choose at least one book to validate with"),
            ({"quotations": False}, "there must be sentences of the books’ own"),
            ({"cloze": -1}, "give 0 to 100,000"),
            ({"negatives": (1,)}, "There is no job 1"),
            ({"contexts": ()}, "Choose at least one context, such as 4/4"),
        ],
    )
    def test_what_cannot_be_trained_is_refused_and_leaves_no_row(self, books, fields, says):
        with pytest.raises(BadInput, match=says):
            training_plan.submit(plan(**fields))
        assert not TrainingJob.objects.exists()

    def test_one_work_under_two_names_is_in_one_split(self, books):
        same, edition = builders.book("copy", title="Another"), builders.book("edition", title="boats ")
        Book.objects.filter(pk=same.pk).update(sha256=books[0].sha256)
        Book.objects.filter(pk=edition.pk).update(sha256="e" * 64)
        for slug in ("copy", "edition"):
            with pytest.raises(BadInput, match=f"The books boats and {slug} are one work"):
                training_plan.submit(plan(validate=(slug,), cloze=3))
        both = plan(books=("boats", "copy", "edition"), cloze=3)
        assert training_plan.submit(both).splits.filter(split="train").count() == 3

    def test_a_name_is_taken_once(self, books, tmp_path):
        training_plan.submit(plan())
        with pytest.raises(BadInput, match="There is a training 'tiny' already"):
            training_plan.submit(plan())
        (tmp_path / "checkpoints/other").mkdir(parents=True)
        with pytest.raises(BadInput, match="There is a folder checkpoints/other"):
            training_plan.submit(plan("other"))

    def test_negatives_come_from_finished_jobs(self, books):
        waiting = submitting.submit(books[0], ranker="bm25", parameters={})
        with pytest.raises(BadInput, match="is not done; hard negatives"):
            training_plan.submit(plan(negatives=(waiting.pk,), recipe={"hard_negatives": True}))


class TestWork:
    def test_from_the_row_to_a_checkpoint_that_is_allowed(self, books, stan, tmp_path):
        done = work(training_plan.submit(plan(test=("lamps",), cloze=3), by=stan))
        assert (done.status, done.error, done.stage) == (Status.DONE, "", "")
        # 6 quotations and 3 sentences of its own: three steps of four in each of three epochs.
        assert (done.done, done.total) == (9, 9)
        assert [each["number"] for each in done.curve] == [1, 2, 3]
        assert done.counts["device"] == "cpu"
        assert done.counts["pairs_a_second"] > 0
        assert done.counts["tokens_a_second"] > done.counts["pairs_a_second"]
        made = done.made
        assert (made.slug, made.toy, made.created_by) == ("tiny", True, stan)
        assert folder.fingerprint(made.place) == made.sha256
        card = made.card
        assert card["curve"] == done.curve
        assert card["validation_loss"] == min(each["validation"] for each in done.curve)
        assert card["tested_on"]["books"] == [{"slug": "lamps", "sha256": books[1].sha256, "pairs": 6}]
        assert card["trained_on"]["books"][0]["pairs"] == 9
        assert card["test"]["pairs"] == 6
        assert 0 <= card["test"]["first"] <= 6
        assert card["test"]["chance"] == pytest.approx(0.25)
        assert (card["stopped_early"], card["device"]) == (False, "cpu")
        assert not run.attempt(done.pk, "two")

    def test_the_lease_is_renewed_within_a_step(self, books, monkeypatch):
        monkeypatch.setattr(progress, "BEAT", 0.0)
        monkeypatch.setattr("retrieval.engine.training.loop.CPU_BUDGET", 60)
        job = training_plan.submit(plan(recipe={"epochs": 1, "batch": 6}))
        seen = []

        def go_on(current):
            seen.append(current.done)
            TrainingJob.objects.update(lease_until=Now())
            return True

        claimed = jobs.claim(job.pk, "one", TrainingJob)
        run.run(claimed, go_on=go_on)
        # Many beats before the only step has ended, each of which found the row still ours.
        assert seen.count(0) > 6
        assert row(job).lease_until > row(job).created

    def test_books_without_a_critic_are_learned_in_their_own_words(self, books):
        done = work(training_plan.submit(plan(quotations=False, cloze=5)))
        assert done.excerpts.count() == 0
        assert [each["pairs"] for each in done.made.card["validated_with"]["books"]] == [5]

    def test_torch_is_asked_for_the_same_bits_and_one_thread_and_given_back_as_it_was(
        self, books, monkeypatch
    ):
        """On a GPU sums end in any order otherwise; small matrices only wait for a second thread."""
        found = []
        train = training.train

        def look(*args, **kwargs):
            found.append((torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()))
            return train(*args, **kwargs)

        monkeypatch.setattr("retrieval.engine.training.loop.train", look)
        torch.set_num_threads(2)
        work(training_plan.submit(plan()))
        assert found == [(1, True)]
        assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == (2, False)
        torch.set_num_threads(1)

    def test_training_that_no_longer_helps_ends_early(self, books):
        done = work(training_plan.submit(plan(recipe={"epochs": 40, "patience": 1, "rate": 0.05})))
        card = done.made.card
        assert len(done.curve) == card["best_epoch"] + 1 < 40
        assert (done.status, card["stopped_early"]) == (Status.DONE, True)
        assert done.done < done.total

    def test_a_loss_that_is_no_number_fails_at_once_with_its_cause(self, books, monkeypatch):
        monkeypatch.setattr(
            "retrieval.engine.training.loop.in_batch_loss",
            lambda *_: torch.tensor(math.nan, requires_grad=True),
        )
        failed = work(training_plan.submit(plan()))
        assert (failed.status, failed.attempts) == (Status.FAILED, 1)
        assert failed.error.startswith("The loss is nan in epoch 1, step 1: training has diverged.")
        assert not Checkpoint.objects.exists()

    def test_a_start_that_has_changed_is_refused(self, books):
        first = work(training_plan.submit(plan())).made
        job = training_plan.submit(plan("next", start="tiny"))
        (first.place / "card.json").write_text("{}")
        assert "The checkpoint tiny has changed since it was added" in work(job).error

    def test_a_folder_of_another_training_is_not_taken_for_this_one(self, books, tmp_path):
        job = training_plan.submit(plan())
        (tmp_path / "checkpoints/tiny").mkdir(parents=True)
        (tmp_path / "checkpoints/tiny/card.json").write_text(json.dumps({"toy": True}))
        assert "There is a folder checkpoints/tiny" in work(job).error


class TestStopped:
    def test_told_to_end_it_goes_back_and_the_next_worker_makes_the_same_weights(self, books, tmp_path):
        whole = work(training_plan.submit(plan("whole")))
        given_back = work(training_plan.submit(plan("stopped")), go_on=told_to_stop(2))
        assert (given_back.status, given_back.attempts, len(given_back.curve)) == (Status.QUEUED, 0, 2)
        done = work(given_back)
        assert done.curve == whole.curve
        assert weights("stopped", tmp_path) == weights("whole", tmp_path)

    def test_cancelled_it_keeps_its_epochs_and_a_retry_goes_on(self, books, tmp_path):
        whole = work(training_plan.submit(plan("whole")))

        def cancel(job):
            if len(job.curve) == 1:
                jobs.cancel(job.pk, TrainingJob)
            return True

        cancelled = work(training_plan.submit(plan("stopped")), go_on=cancel)
        assert (cancelled.status, len(cancelled.curve)) == (Status.CANCELLED, 1)
        assert not Checkpoint.objects.filter(slug="stopped").exists()
        assert not run.attempt(cancelled.pk, "two")
        assert jobs.retry(cancelled.pk, TrainingJob)
        began = []
        done = work(cancelled, go_on=lambda job: began.append((len(job.curve), job.done)) or True)
        assert began[0] in [(1, 2), (2, 4)]  # the second epoch may have been whole before it heard
        assert done.curve == whole.curve
        assert weights("stopped", tmp_path) == weights("whole", tmp_path)

    def test_a_worker_that_lost_its_lease_writes_nothing_more(self, books):
        job = training_plan.submit(plan())

        def overtaken(current):
            if current.worker == "one" and current.curve:
                TrainingJob.objects.update(lease_until=Now())
                assert jobs.claim(current.pk, "two", TrainingJob)
            return True

        after = work(job, go_on=overtaken)
        assert (after.status, after.worker, len(after.curve)) == (Status.RUNNING, "two", 1)
        assert not Checkpoint.objects.exists()

    def test_an_attempt_that_ended_after_the_checkpoint_was_allowed_is_finished_by_the_next(
        self, books, monkeypatch
    ):
        job = training_plan.submit(plan())
        beat = jobs.renew_lease

        def ended(*row, **more):
            if "made" in more:
                raise KeyboardInterrupt
            return beat(*row, **more)

        monkeypatch.setattr(jobs, "renew_lease", ended)
        with pytest.raises(KeyboardInterrupt):
            work(job)
        assert Checkpoint.objects.get().slug == "tiny"
        monkeypatch.setattr(jobs, "renew_lease", beat)
        done = work(job)
        assert (done.status, done.made) == (Status.DONE, Checkpoint.objects.get())


def test_the_sweep_rings_for_both_kinds_in_the_order_in_which_they_were_submitted(books, monkeypatch):
    rung = []
    monkeypatch.setattr(tasks.notify, "now", lambda pk, queue, kind: rung.append((kind, pk)))
    training_job = training_plan.submit(plan())
    candidates = submitting.submit(books[0], ranker="bm25", parameters={})
    assert tasks.sweep(["cpu"]) == 2
    assert rung == [("training", training_job.pk), ("candidates", candidates.pk)]
    assert (jobs.count_ahead(training_job), jobs.count_ahead(candidates)) == (0, 1)
    tasks.work.apply((training_job.pk, "training"), throw=True)
    assert row(training_job).status == Status.DONE
    assert CandidateJob.objects.get().status == Status.QUEUED
    silent = training_plan.submit(plan("silent"))
    TrainingJob.objects.filter(pk=silent.pk).update(status=Status.RUNNING, attempts=3, lease_until=Now())
    tasks.sweep(["cpu"])
    assert row(silent).status == Status.FAILED

"""Dense rankers in jobs: from the name of a checkpoint to candidates, on the CPU."""

import shutil
from io import StringIO

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from common.errors import BadInput
from evaluation.ranking.report import rank_report
from evaluation.ranking.sentences import notes
from retrieval.candidates import outcome, pipeline, pooling, submitting
from retrieval.dense import checkpoints, encoding_heartbeat
from retrieval.engine.dense import ranker
from retrieval.engine.dense.progress import EncodingProgress
from retrieval.engine.ranking import order
from retrieval.engine.text import passages
from retrieval.forms import GenerateForm
from retrieval.jobs import attempts, queue, status
from retrieval.models import CandidateJob, Checkpoint, Status
from tests.retrieval.dense.later import dense_encoder
from variorum import env

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private(settings, tmp_path):
    settings.DATA_DIR, settings.DEVICE = tmp_path, "cpu"
    ranker.opened.cache_clear()


@pytest.fixture
def added(toy):
    return checkpoints.add(toy, slug="toy")[0]


def work(job):
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def rows(job):
    return list(job.candidates.order_by("excerpt", "rank").values_list("excerpt", "rank", "first", "scores"))


def test_generate_ranks_with_a_checkpoint_named_by_staff(boats, toy):
    out = StringIO()
    call_command("add_checkpoint", toy, "--name=toy", stdout=out)
    call_command(
        "generate", "--book=boats", "--ranker=dense", "--set=checkpoint=toy", "--wait", stdout=out, stderr=out
    )
    assert "Done: 9 candidates for 3 excerpts." in out.getvalue()
    job, row = CandidateJob.objects.get(), Checkpoint.objects.get()
    assert job.checkpoint == row.sha256
    assert (job.parameters["checkpoint"], job.parameters["precision"]) == ("toy", "fp32")
    assert (job.queue, job.status) == ("cpu", Status.DONE)
    assert "torch" in job.made_with["version"]
    excerpt = job.excerpts.order_by("pk")[1]
    encoder = dense_encoder.Encoder(toy, ranker.FAITHFUL, asked="cpu")
    texts = list(passages.texts(boats.text, boats.bounds(), 1))
    vectors = encoder.quotations(texts).astype(np.float16).astype(np.float32)
    scores = vectors @ encoder.contexts([excerpt.query(4, 4)])[0]
    gold = job.candidates.get(excerpt=excerpt, is_gold=True)
    assert gold.rank == order.rank(scores, excerpt.first)
    assert gold.scores["dense"] == pytest.approx(float(scores[excerpt.first]), abs=1e-4)


def test_a_job_that_was_stopped_gives_the_same_rows(boats, added, settings):
    whole = work(submitting.submit(boats, ranker="dense", parameters={}))
    stopped = submitting.submit(boats, ranker="dense", parameters={})
    calls = []
    pipeline.run(queue.claim(stopped.pk, "one"), chunk=3)
    expected = rows(whole)
    assert rows(stopped) == expected
    again = submitting.submit(boats, ranker="dense", parameters={})

    def once(job):
        calls.append(job.done)
        return len(calls) < 2

    with pytest.raises(pipeline.Interrupted):
        pipeline.run(claimed := queue.claim(again.pk, "one"), go_on=once, chunk=1)
    assert (again.matched.count(), again.candidates.count()) == (1, 0)
    shutil.rmtree(settings.DATA_DIR / "vectors")
    pipeline.run(claimed, chunk=2)
    assert rows(again) == expected


def test_a_job_cancelled_while_encoding_stops_there(boats, added, monkeypatch):
    monkeypatch.setattr(encoding_heartbeat, "BEAT", 0.0)
    monkeypatch.setattr("retrieval.engine.dense.encoder.CPU_BUDGET", 64)
    job = queue.claim(submitting.submit(boats, ranker="dense", parameters={}).pk, "one")
    stages = []
    beat = queue.renew_lease

    def heard(job, done, stage="", counts=None):
        stages.append(stage)
        if stage.startswith("Encoding") and len(stages) > 4:
            queue.cancel(job.pk)
        return beat(job, done, stage, counts)

    monkeypatch.setattr(queue, "renew_lease", heard)
    with pytest.raises(attempts.LeaseLost):
        pipeline.run(job)
    assert any(
        "tokens a second · about" in stage and "Encoding" in stage and " passages · " in stage
        for stage in stages
    ), stages
    assert not job.candidates.exists()


def test_the_time_left_is_reckoned_by_tokens_since_long_passages_come_first():
    since = EncodingProgress("Encoding", 10, 2010, 1000, 21_000)
    step = EncodingProgress("Encoding", 60, 2010, 6000, 21_000)
    said = "Encoding 60 of 2,010 passages · 25 a second, 2,500 tokens a second · about 6 s left"
    assert status.encoding_progress(step, since, 2.0) == said
    assert status.encoding_progress(since, since, 0.0) == "Encoding 10 of 2,010 passages"


def test_hybrid_keeps_the_rank_of_each(boats, added):
    job = work(submitting.submit(boats, ranker="hybrid", parameters={"k": 10}))
    alone = {slug: work(submitting.submit(boats, ranker=slug, parameters={})) for slug in ("bm25", "dense")}
    assert job.checkpoint == added.sha256
    for gold in job.candidates.filter(is_gold=True):
        ranks = gold.scores["ranks"]
        for slug, other in alone.items():
            single = other.candidates.get(excerpt=gold.excerpt, is_gold=True)
            assert (ranks[slug], gold.scores[slug]) == (single.rank, single.scores[slug])
        assert gold.scores["hybrid"] == pytest.approx(sum(1 / (10 + rank) for rank in ranks.values()))
    assert job.candidates.filter(is_gold=False).count() == 6
    scores = work(submitting.submit(boats, ranker="hybrid", parameters={"fusion": "scores"}))
    assert all(0 <= row.scores["hybrid"] <= 2 for row in scores.candidates.all())


def test_a_pool_fuses_bm25_and_a_checkpoint(boats, added):
    pool = {"size": 10, "with": [{"ranker": "dense"}]}
    job = work(submitting.submit(boats, ranker="bm25", parameters={"pool": pool}))
    name = "dense checkpoint=toy precision=fp32"
    assert job.checkpoint == added.sha256
    assert all(set(row.scores["ranks"]) == {"bm25", name} for row in job.candidates.all())


def test_one_checkpoint_need_not_be_named_and_of_two_one_must_be(boats, added, toy):
    assert submitting.submit(boats, ranker="dense", parameters={}).parameters["checkpoint"] == "toy"
    checkpoints.add(toy, slug="other", given={"pooling": "mean"})
    with pytest.raises(BadInput, match="There are several checkpoints; name one of: other, toy"):
        submitting.submit(boats, ranker="dense", parameters={})
    with pytest.raises(BadInput, match="There is no checkpoint 'tiny'; choose one of: other, toy"):
        submitting.submit(boats, ranker="dense", parameters={"checkpoint": "tiny"})
    with pytest.raises(BadInput, match="precision is 'fp8'; it must be one of: auto, fp32, bf16, int8"):
        submitting.submit(boats, ranker="dense", parameters={"checkpoint": "toy", "precision": "fp8"})


def test_a_folder_that_changed_since_fails_the_job_with_a_sentence(boats, toy, tmp_path, settings):
    settings.JOB_MAX_ATTEMPTS = 1
    folder = shutil.copytree(toy, tmp_path / "mine")
    checkpoints.add(folder, slug="mine")
    job = submitting.submit(boats, ranker="dense", parameters={})
    (folder / "evil.bin").write_bytes(b"x")
    assert work(job).status == Status.FAILED
    assert job.error.startswith("mine/evil.bin could run code")
    (folder / "evil.bin").rename(folder / "evil.txt")
    queue.retry(job.pk)
    assert "The checkpoint in mine has changed" in work(job).error


def test_cuda_puts_jobs_into_the_gpu_queue_in_bf16(boats, added, settings):
    settings.DEVICE = "cuda"
    job = submitting.submit(boats, ranker="dense", parameters={})
    assert (job.queue, job.parameters["precision"]) == ("gpu", "bf16")
    assert submitting.submit(boats, ranker="bm25", parameters={}).queue == "cpu"
    settings.JOB_MAX_ATTEMPTS = 1
    if not dense_encoder.torch.cuda.is_available():
        assert "this worker sees no CUDA GPU" in work(job).error


def test_adding_twice_changes_nothing_and_a_taken_name_is_refused(toy, added, tmp_path):
    assert checkpoints.add(toy, slug="toy") == (added, False)
    with pytest.raises(BadInput, match="There is a checkpoint 'toy' already"):
        checkpoints.add(toy, slug="toy", given={"pooling": "pooler"})
    with pytest.raises(BadInput, match="name 'a b' is not possible"):
        checkpoints.add(toy, slug="a b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CommandError, match=r"empty has no tokenizer\.json"):
        call_command("add_checkpoint", tmp_path / "empty", "--name=empty")
    assert Checkpoint.objects.count() == 1


def test_the_form_offers_the_checkpoints_and_a_toy_is_called_one(boats, added, stan):
    Checkpoint.objects.update(toy=True)
    form = GenerateForm(
        {"ranker": "dense", "negatives": 2, "left": 4, "right": 4, "dense-precision": "bf16"}, book=boats
    )
    assert ("toy", "toy (toy model)") in form.fields["dense-checkpoint"].choices
    assert form.is_valid(), form.errors
    job = form.save(stan)
    assert (job.parameters["checkpoint"], job.parameters["precision"]) == ("toy", "bf16")
    assert ("checkpoint", "toy (toy model)") in outcome.parameters_in_words(job)


def test_the_device_is_one_of_three(monkeypatch):
    monkeypatch.setenv("VARIORUM_DEVICE", "tpu")
    with pytest.raises(ImproperlyConfigured, match="'tpu' is unknown: use auto, cpu or cuda"):
        env.device()


def test_every_checkpoint_of_a_pool_is_frozen_and_named(boats, added, toy, tmp_path, settings):
    Checkpoint.objects.update(toy=True)
    other = shutil.copytree(toy, tmp_path / "other")
    (other / "README.md").write_text("The same weights in another folder.")
    second = checkpoints.add(other, slug="other", given={"pooling": "mean"})[0]
    pool = {"size": 10, "with": [{"ranker": "bm25"}, {"ranker": "dense", "checkpoint": "other"}]}
    job = work(submitting.submit(boats, ranker="dense", parameters={"checkpoint": "toy", "pool": pool}))
    assert pooling.checkpoint_digests(job) == {"toy": added.sha256, "other": second.sha256}
    assert job.made_with["library"] == "torch, transformers; rank_bm25"
    assert outcome.checkpoints_in_words(job) == [("toy (toy model)", added.sha256), ("other", second.sha256)]
    (said,) = [note for note in notes(rank_report(job, resamples=100)) if note.startswith("Checkpoints")]
    assert said == (
        f"Checkpoints: toy (toy model), sha256 {added.sha256}; other, sha256 {second.sha256}. "
        "A toy model’s numbers say nothing about dense retrieval."
    )
    again = submitting.submit(boats, ranker="dense", parameters={"checkpoint": "toy", "pool": pool})
    (other / "README.md").write_text("Another model.")
    second.delete()
    checkpoints.add(other, slug="other", given={"pooling": "mean"})
    settings.JOB_MAX_ATTEMPTS = 1
    ranker.opened.cache_clear()
    assert "The checkpoint in other has changed" in work(again).error


def test_a_job_from_before_all_were_frozen_names_its_own(boats, added):
    job = submitting.submit(boats, ranker="dense", parameters={})
    assert pooling.checkpoint_digests(job) == {"toy": added.sha256}
    assert pooling.checkpoint_digests(submitting.submit(boats, ranker="bm25", parameters={})) == {}

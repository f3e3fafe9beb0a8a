"""S12 and its like: what a folder must not make a worker do, and models whose parts do not fit."""

import json
import pickle
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.candidates import pipeline, submitting
from retrieval.dense import checkpoints
from retrieval.engine.dense import ranker
from retrieval.engine.dense.settings import Settings
from retrieval.engine.text.tokens import GAP
from retrieval.models import Checkpoint, Status
from tests import builders
from tests.retrieval.dense.later import dense_encoder, safetensors_torch, torch

NAMES = ("pytorch_model.bin", "context/model.pt", "quotation/weights.pkl", "tokenizer.pickle", "m.ckpt")


class Touch:
    """Unpickled, it would make a file."""

    def __init__(self, canary):
        self.canary = canary

    def __reduce__(self):
        return Path.touch, (self.canary,)


@pytest.fixture(autouse=True)
def private(settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.DEVICE, settings.JOB_MAX_ATTEMPTS = tmp_path / "data", "cpu", 1
    ranker.opened.cache_clear()
    torch.set_num_threads(1)

    def refused(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture
def folder(toy, tmp_path):
    return shutil.copytree(toy, tmp_path / "mine")


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_S12_a_pickle_is_refused_when_added_and_when_it_comes_later(folder, tmp_path, name):
    canary = tmp_path / "canary"
    checkpoints.add(folder, slug="before")
    (folder / name).write_bytes(pickle.dumps(Touch(canary)))
    with pytest.raises(CommandError, match=f"mine/{name} could run code when it is loaded"):
        call_command("add_checkpoint", folder, "--name=after")
    book = builders.book()
    builders.excerpt(book, builders.source(), first=3)
    job = submitting.submit(book, ranker="dense", parameters={"checkpoint": "before"})
    assert pipeline.attempt(job.pk, "one")
    job.refresh_from_db()
    assert job.status == Status.FAILED
    assert "could run code" in job.error
    assert not canary.exists()
    assert Checkpoint.objects.count() == 1


@pytest.mark.django_db
def test_S12_code_from_outside_is_refused_when_added_and_when_it_comes_later(folder):
    row, _ = checkpoints.add(folder, slug="before")
    config = folder / "context/config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"auto_map": {"AutoModel": "a--b.C"}}))
    with pytest.raises(CommandError, match=r"mine/context/config\.json has auto_map"):
        call_command("add_checkpoint", folder, "--name=after")
    with pytest.raises(BadInput, match="auto_map"):
        ranker.opened(folder, row.sha256, Settings(), "fp32", "cpu")


@pytest.mark.django_db
def test_weights_that_give_no_numbers_are_refused(folder):
    file = folder / "quotation/model.safetensors"
    weights = safetensors_torch.load_file(file)
    weights["embeddings.LayerNorm.weight"][:] = float("nan")
    safetensors_torch.save_file(weights, file)
    with pytest.raises(CommandError, match=r"The encoders of mine give no numbers \(NaN\)"):
        call_command("add_checkpoint", folder, "--name=mine")
    assert not Checkpoint.objects.exists()


def load(folder):
    return dense_encoder.Encoder(folder, Settings(), asked="cpu")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("hidden_size", "wide", "has hidden_size 'wide'; it must be a whole number from 1"),
        ("hidden_size", None, "has hidden_size None"),
        ("num_attention_heads", 0, "has num_attention_heads 0"),
        ("vocab_size", True, "has vocab_size True"),
        ("num_attention_heads", 7, "describes no roberta that can be built"),
    ],
)
def test_a_size_of_a_wrong_type_is_named_with_its_file(folder, name, value, says):
    config = folder / "config.json"
    if not config.exists():
        config = next(folder.glob("*/config.json"))
    config.write_text(json.dumps({**json.loads(config.read_text()), name: value}))
    with pytest.raises(BadInput, match=says):
        load(folder)


def test_a_tokeniser_that_pads_with_another_token_is_refused(folder):
    words = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = words["model"]["vocab"]
    vocabulary["<pad>"], vocabulary["<s>"] = vocabulary["<s>"], vocabulary["<pad>"]
    for token in words["added_tokens"]:
        token["id"] = vocabulary[token["content"]]
    words["added_tokens"].sort(key=lambda token: token["id"])
    (folder / "tokenizer.json").write_text(json.dumps(words))
    with pytest.raises(BadInput, match="has <pad> as token 0, but the encoder pads with 1: it is another"):
        load(folder)


def test_a_tokeniser_of_far_fewer_tokens_is_refused(folder):
    load(folder)
    for tower in ("context", "quotation"):
        config = json.loads((folder / tower / "config.json").read_text())
        weights = safetensors_torch.load_file(folder / tower / "model.safetensors")
        words = weights["embeddings.word_embeddings.weight"]
        weights["embeddings.word_embeddings.weight"] = words.repeat(8, 1)
        config["vocab_size"] *= 8
        (folder / tower / "config.json").write_text(json.dumps(config))
        safetensors_torch.save_file(weights, folder / tower / "model.safetensors")
    with pytest.raises(BadInput, match=r"but the encoder was trained with [\d,]+: it is another model"):
        load(folder)


def test_a_context_and_a_passage_longer_than_any_limit_are_cut_and_not_refused(toy):
    encoder = load(toy)
    left, right = "the boat " * 50_000, " the lamp" * 50_000
    ids = encoder.tokeniser.contexts([f"{left}{GAP}{right}", "x" * 200_000], encoder.settings)
    assert [each.size for each in ids] == [256, 256]
    near = f"{'the boat ' * 500}{GAP}{' the lamp' * 500}"
    assert np.array_equal(encoder.contexts([f"{left}{GAP}{right}"]), encoder.contexts([near]))
    assert [each.size for each in encoder.tokeniser.quotations([left], encoder.settings)] == [98]
    assert np.isfinite(encoder.quotations(["", left])).all()

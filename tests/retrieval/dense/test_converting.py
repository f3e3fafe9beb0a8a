"""Published `.bin` and `.pt` weights: converted to what they are, or refused without running anything."""

import hashlib
import json
import pickle
import shutil
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.dense import checkpoints, converting
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.published import confined, convert
from retrieval.engine.dense.settings import checked
from retrieval.engine.text.tokens import GAP
from retrieval.jobs import child_process
from tests.retrieval.dense import berts, published
from tests.retrieval.dense.later import dense_encoder, pickled, pieces, safetensors_torch, torch
from tests.retrieval.dense.texts import BOOK, CONTEXTS

# Each converts in another process.
pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return berts.sentence_encoder(tmp_path_factory.mktemp("models") / "small", BOOK)


@pytest.fixture
def here(monkeypatch, settings, tmp_path):
    """Conversion in this process, which is not to be limited for good."""
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    torch.set_num_threads(1)
    monkeypatch.setattr(confined, "limit", lambda memory: None)
    monkeypatch.setattr(confined, "forbid_programs_and_network", lambda: None)
    monkeypatch.setattr(converting, "encoder", lambda source, target: convert.encoder(source, target))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def weights(folder):
    return safetensors_torch.load_file(folder / "model.safetensors")


def same(first, second):
    return set(first) == set(second) and all(
        first[name].dtype == second[name].dtype and torch.equal(first[name], second[name]) for name in first
    )


@pytest.mark.django_db
def test_S12_a_file_that_runs_a_command_is_refused_in_the_other_process_and_runs_nothing(
    small, tmp_path, settings
):
    settings.DATA_DIR = tmp_path / "data"
    canary = tmp_path / "canary"
    folder = published.as_bin(small, tmp_path / "bad", lambda own: {**own, "x": published.Command(canary)})
    with pytest.raises(
        CommandError, match=r"pytorch_model\.bin holds more than tensors and was not read: .*system"
    ):
        call_command("convert_weights", folder, "--into", tmp_path / "made")
    assert not canary.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad"]


@pytest.mark.django_db
def test_sim_s_two_files_become_a_checkpoint_that_ranks_as_its_script_reads(tmp_path, settings):
    settings.DATA_DIR, settings.DEVICE = tmp_path / "data", "cpu"
    source, table, words = published.sim(tmp_path / "sim")
    out = StringIO()
    call_command("convert_weights", source, "--into", tmp_path / "made", stdout=out)
    assert f"sim.pt: sha256 {sha256(source / 'sim.pt')}" in out.getvalue()
    row, _ = checkpoints.add(tmp_path / "made", slug="sim")
    assert checked(row.settings) == PRESETS["sim"]
    (told,) = row.card["converted"]
    assert told["pieces_from"] == [
        {"file": "sim.sp.30k.model", "sha256": sha256(source / "sim.sp.30k.model")}
    ]
    assert (told["pieces"], told["words_that_are_no_piece"]) == (6, 1)
    encoder = dense_encoder.Encoder(row.place, PRESETS["sim"], asked="cpu")

    def expected(*names):
        mean = table[[words[name] for name in names]].numpy().mean(axis=0)
        return mean / np.linalg.norm(mean)

    space = published.SPACE
    found = encoder.quotations(["The BOATS at dawn, m.", "zebra", ""])
    assert (
        np.abs(found[0] - expected(f"{space}the", f"{space}boat", "s", f"{space}at", f"{space}dawn")).max()
        < 1e-6
    )
    assert np.abs(found[1:] - expected("UUUNKKK")).max() < 1e-6
    (context,) = encoder.contexts([f"the boat {GAP}"])
    assert np.abs(context - expected(f"{space}the", f"{space}boat", f"{space}mask")).max() < 1e-6


def test_pieces_are_cut_as_sentencepiece_cuts_them(tmp_path):
    """What is expected is what sentencepiece 0.2.3 makes of this model."""
    (tmp_path / "x.model").write_bytes(published.sentencepiece())
    known = pieces.read(tmp_path / "x.model")
    made = pieces.unigram(known, list(known.scores))
    for text, expected in {
        "the boats  at dawn": "\u2581the \u2581boat s \u2581at \u2581dawn",
        "oats < mask > thaw, boat": "\u2581 oat s \u2581 < \u2581mask \u2581 > \u2581 t h a w , \u2581boat",
        "": "",
    }.items():
        assert " ".join(made.encode(text, add_special_tokens=False).tokens) == expected


@pytest.mark.parametrize("kept", [lambda own: own, lambda own: {"state_dict": own, "epoch": 3}])
def test_weights_keep_their_names_types_and_values(here, small, tmp_path, kept):
    source = published.as_bin(small, tmp_path / "source", kept)
    made = converting.folder(source, tmp_path / "made")
    assert same(weights(made), weights(small))
    assert {path.name for path in dense_folder.checked(made)} == {
        "card.json", "config.json", "model.safetensors", "tokenizer.json"
    }  # fmt: skip
    card = json.loads((made / "card.json").read_text())
    assert card == {
        "converted": [
            {"from": [{"file": "pytorch_model.bin", "sha256": sha256(source / "pytorch_model.bin")}]}
        ]
    }


def test_wrappers_are_taken_off_shared_tensors_parted_and_half_precision_kept(here, small, tmp_path):
    def change(own):
        first = own["embeddings.word_embeddings.weight"].half()
        own = {name: weight.bfloat16() for name, weight in own.items()}
        own |= {
            "embeddings.word_embeddings.weight": first,
            "cls.decoder.weight": first,
            "cls.part": first[:3].T,
        }
        return {f"module.{name}": weight for name, weight in own.items()}

    made = converting.folder(published.as_bin(small, tmp_path / "source", change), tmp_path / "made")
    found = weights(made)
    assert found["embeddings.word_embeddings.weight"].dtype == torch.float16
    assert found["pooler.dense.bias"].dtype == torch.bfloat16
    assert torch.equal(found["cls.decoder.weight"], found["embeddings.word_embeddings.weight"])
    assert torch.equal(found["cls.part"], found["cls.decoder.weight"][:3].T)
    dense_encoder.Encoder(made, PRESETS["minilm"], asked="cpu")


def test_parts_of_one_model_are_put_together_and_what_training_leaves_is_no_weight(here, small, tmp_path):
    source = published.as_bin(small, tmp_path / "source")
    whole = torch.load(source / "pytorch_model.bin", weights_only=True)
    names = sorted(whole)
    (source / "pytorch_model.bin").unlink()
    for number, own in enumerate((names[:5], names[5:]), 1):
        torch.save({name: whole[name] for name in own}, source / f"pytorch_model-0000{number}-of-00002.bin")
    torch.save({"lr": 0.1}, source / "optimizer.pt")
    made = converting.folder(source, tmp_path / "made")
    assert same(weights(made), weights(small))
    shutil.copy(source / "pytorch_model-00001-of-00002.bin", source / "other.bin")
    with pytest.raises(
        BadInput, match=r"source has several files of weights \(other\.bin, pytorch_m.*name the one"
    ):
        converting.folder(source, tmp_path / "second")


def test_crealm_s_folder_says_how_it_is_used(here, tmp_path):
    plain = berts.realm(tmp_path / "realm", BOOK)
    made = converting.folder(published.as_bin(plain, tmp_path / "source"), tmp_path / "made")
    assert checked(json.loads((made / "card.json").read_text())["encoder"]) == PRESETS["crealm"]
    first, second = (dense_encoder.Encoder(each, PRESETS["crealm"], asked="cpu") for each in (plain, made))
    assert np.array_equal(first.contexts(CONTEXTS[:2]), second.contexts(CONTEXTS[:2]))


def test_relic_s_own_folder_of_two_encoders_becomes_context_and_quotation(here, toy, tmp_path):
    source = tmp_path / "relic"
    for theirs, ours in (("prefix_encoder", "context"), ("suffix_encoder", "quotation")):
        published.as_bin(toy / ours, source / theirs)
    words = json.loads((toy / "tokenizer.json").read_text())["model"]
    (source / "vocab.json").write_text(json.dumps(words["vocab"]))
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in words["merges"]]
    (source / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]))
    made = converting.folder(source, tmp_path / "made")
    assert [each["for"] for each in json.loads((made / "card.json").read_text())["converted"]] == [
        "context", "quotation"
    ]  # fmt: skip
    settings = checked({})
    first, second = (dense_encoder.Encoder(each, settings, asked="cpu") for each in (toy, made))
    assert np.array_equal(first.contexts(CONTEXTS), second.contexts(CONTEXTS))
    assert np.array_equal(first.quotations(BOOK[:9]), second.quotations(BOOK[:9]))


def test_two_published_encoders_become_one_checkpoint(here, tmp_path):
    whole = berts.dpr(tmp_path / "dpr", BOOK)
    both = [published.as_bin(whole / tower, tmp_path / tower) for tower in ("context", "quotation")]
    for each in both:
        (each / "tokenizer.json").write_bytes((whole / "tokenizer.json").read_bytes())
    made = converting.folder(both[0], tmp_path / "made", both[1])
    first, second = (dense_encoder.Encoder(each, PRESETS["dpr"], asked="cpu") for each in (whole, made))
    assert np.array_equal(first.contexts(CONTEXTS[:3]), second.contexts(CONTEXTS[:3]))
    assert np.array_equal(first.quotations(BOOK[:3]), second.quotations(BOOK[:3]))
    words = json.loads((both[1] / "tokenizer.json").read_text())
    words["model"]["vocab"]["strange"] = 299
    (both[1] / "tokenizer.json").write_text(json.dumps(words))
    with pytest.raises(BadInput, match="context and quotation have different tokenisers"):
        converting.folder(both[0], tmp_path / "other", both[1])


def test_a_tokeniser_is_made_of_a_plain_vocabulary(here, small, tmp_path):
    source = published.as_bin(small, tmp_path / "source")
    vocabulary = json.loads((source / "tokenizer.json").read_text())["model"]["vocab"]
    (source / "tokenizer.json").unlink()
    with pytest.raises(BadInput, match=r"has no tokenizer\.json"):
        converting.folder(source, tmp_path / "made")
    (source / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)))
    made = converting.folder(source, tmp_path / "made")
    first, second = (dense_encoder.Encoder(each, PRESETS["minilm"], asked="cpu") for each in (small, made))
    assert np.array_equal(first.quotations(BOOK), second.quotations(BOOK))


@pytest.mark.parametrize(
    ("held", "says"),
    [
        (lambda: {"a": torch.zeros(2), "b": "text"}, "b is a str and no tensor; only weights are converted"),
        (
            lambda: {"a": torch.zeros(1).expand(10**9)},
            "a claims 1,000,000,000 numbers, but the file holds fewer",
        ),
        (lambda: {"a": torch.zeros(3, 3).to_sparse()}, "a is a tensor that safetensors do not hold"),
        (lambda: {1: torch.zeros(2)}, "names a weight 1, which is no text"),
        (lambda: [torch.zeros(2)], "holds no weights by name, but a list"),
        (dict, "holds no weights by name, but a dict"),
        (lambda: {"a": torch.zeros(2), "b": Path()}, "holds more than tensors and was not read"),
    ],
)
def test_what_is_no_weights_is_refused_in_a_sentence(tmp_path, held, says):
    torch.save(held(), tmp_path / "x.bin")
    with pytest.raises(BadInput, match=rf"x\.bin.*{says}"):
        pickled.weights(pickled.load(tmp_path / "x.bin"), "x.bin")


@pytest.mark.parametrize("older", [True, False])
def test_a_command_is_not_run_in_either_format_nor_out_of_a_plain_pickle(tmp_path, older):
    canary = tmp_path / "canary"
    torch.save(
        {"a": torch.zeros(2), "b": published.Command(canary)},
        tmp_path / "x.bin",
        _use_new_zipfile_serialization=not older,
    )
    (tmp_path / "y.bin").write_bytes(pickle.dumps(published.Command(canary), protocol=2))
    for name in ("x.bin", "y.bin"):
        with pytest.raises(BadInput, match=f"{name} holds more than tensors and was not read"):
            pickled.load(tmp_path / name)
    (tmp_path / "z.bin").write_bytes(b"no pickle at all")
    with pytest.raises(BadInput, match=r"z\.bin cannot be read as weights"):
        pickled.load(tmp_path / "z.bin")
    assert not canary.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited so")
def test_the_other_process_has_no_network_no_programs_and_little_memory():
    with child_process.ChildProcess(60, lambda: None) as child:
        found = json.loads(child(published.outlaw))
    assert found == ["PermissionError", "PermissionError", "PermissionError", "MemoryError"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"state_dict": {"embedding.weight": 1}}, "embedding.weight is a int and no tensor"),
        ({"vocab_words": {"UUUNKKK": 99}}, "has vocab_words that do not number the 9 rows of its table"),
        ({"vocab_words": {"the": 1}}, "has no UUUNKKK among its vocab_words"),
    ],
)
def test_a_sim_that_is_none_is_refused(here, tmp_path, change, says):
    source, _, _ = published.sim(tmp_path / "sim", **change)
    with pytest.raises(BadInput, match=says):
        converting.folder(source, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_a_sim_with_a_transformer_or_without_its_pieces_is_refused(here, tmp_path):
    source, table, _ = published.sim(tmp_path / "sim")
    (source / "sim.sp.30k.model").rename(source / "pieces.txt")
    with pytest.raises(
        BadInput, match=r"Beside sim\.pt there must be one SentencePiece model .* there are 0"
    ):
        converting.folder(source, tmp_path / "made")
    lstm = {"embedding.weight": table, "lstm.weight": table}
    other, _, _ = published.sim(tmp_path / "lstm", state_dict=lstm)
    with pytest.raises(BadInput, match=r"holds embedding\.weight, lstm\.weight; only a table of vectors"):
        converting.folder(other, tmp_path / "made")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"no model", "is no SentencePiece model"),
        (published.sentencepiece()[:-4], "is no SentencePiece model"),
        (b"", "is no SentencePiece model"),
        (published.sentencepiece(kind=2), "is a SentencePiece model of kind 2; only unigram models are read"),
        (published.sentencepiece(t=6), "has the piece 't' of type 6, which is not read here"),
    ],
)
def test_what_is_no_unigram_model_is_refused(tmp_path, data, says):
    (tmp_path / "x.model").write_bytes(data)
    with pytest.raises(BadInput, match=rf"x\.model {says}"):
        pieces.read(tmp_path / "x.model")


def test_what_is_not_there_or_there_already_is_said(here, small, tmp_path):
    with pytest.raises(BadInput, match="There is no file or folder"):
        converting.folder(tmp_path / "nowhere", tmp_path / "made")
    with pytest.raises(BadInput, match=r"small has no weights to convert"):
        converting.folder(small, tmp_path / "made")
    with pytest.raises(BadInput, match=r"There is .* already; name a folder that is not there"):
        converting.folder(small, tmp_path)
    source = published.as_bin(small, tmp_path / "source")
    (source / "config.json").write_text('{"model_type": "bert", "auto_map": {"AutoModel": "own.Model"}}')
    with pytest.raises(BadInput, match=r"config\.json has auto_map, which runs code from outside"):
        converting.folder(source, tmp_path / "made")
    assert sorted(path.name for path in tmp_path.iterdir() if "ma" in path.name) == []

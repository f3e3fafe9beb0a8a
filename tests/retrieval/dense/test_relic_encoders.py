"""The encoders that RELiC compared with: c-REALM's projection, SIM's mean of pieces."""

import json
import shutil

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from common.errors import BadInput
from retrieval.engine.dense.average.words import words
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.settings import Settings, checked
from retrieval.engine.text.tokens import GAP
from tests.retrieval.dense import berts
from tests.retrieval.dense.later import (
    building,
    dense_encoder,
    safetensors_torch,
    torch,
    training,
    transformers,
)
from tests.retrieval.dense.texts import BOOK, CONTEXTS

PIECES = ["the", "boat", "left", "at", "dawn", "<", ">", "mask", ",", "``", "''", "ca", "n't", "lamp"]


@pytest.fixture(scope="module")
def crealm(tmp_path_factory):
    return berts.realm(tmp_path_factory.mktemp("models") / "crealm", BOOK)


@pytest.fixture(scope="module")
def sim(tmp_path_factory):
    """A table of 12 pieces, its tokeniser knowing two more, which have no vector."""
    folder = tmp_path_factory.mktemp("models") / "sim"
    folder.mkdir()
    pieces = [("<unk>", 0.0), *((f"\u2581{each}", -3.0) for each in PIECES)]
    made = Tokenizer(models.Unigram(pieces, unk_id=0))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.save(str(folder / "tokenizer.json"))
    config = {"model_type": "average", "vocab_size": 13, "hidden_size": 8}
    (folder / "config.json").write_text(json.dumps(config))
    table = torch.randn(13, 8, generator=torch.Generator().manual_seed(1))
    safetensors_torch.save_file({"embedding.weight": table}, folder / "model.safetensors")
    return folder


def table(folder):
    return safetensors_torch.load_file(folder / "model.safetensors")["embedding.weight"].numpy()


def mean(folder, *names):
    rows = table(folder)[[1 + PIECES.index(name) for name in names]].mean(axis=0)
    return rows / np.linalg.norm(rows)


def test_crealm_is_the_pooled_state_projected_and_normalised(crealm):
    encoder = dense_encoder.Encoder(crealm, PRESETS["crealm"], asked="cpu")
    weights = safetensors_torch.load_file(crealm / "model.safetensors")
    bert = berts.model(berts.tokeniser(BOOK))
    ids = encoder.tokeniser.quotations(BOOK[4:5], encoder.settings)[0]
    with torch.inference_mode():
        pooled = bert(input_ids=torch.tensor([ids.tolist()])).pooler_output[0]
    projected = weights["cls.dense.weight"] @ pooled + weights["cls.dense.bias"]
    centred = projected - projected.mean()
    normal = centred / (centred.pow(2).mean() + bert.config.layer_norm_eps).sqrt()
    expected = normal * weights["cls.LayerNorm.weight"] + weights["cls.LayerNorm.bias"]
    found = encoder.quotations(BOOK[4:5])[0]
    assert found.shape == (12,) == (encoder.width,)
    assert np.abs(found - expected.numpy()).max() < 1e-5


def test_crealm_reads_contexts_with_the_same_encoder_and_cuts_them_at_their_end(crealm):
    settings = PRESETS["crealm"]
    encoder = dense_encoder.Encoder(crealm, settings, asked="cpu")
    text = f"{'the boat ' * 200}{GAP}{' the lamp' * 200}"
    (ids,) = encoder.tokeniser.contexts([text], settings)
    own = transformers.BertTokenizerFast(tokenizer_file=str(crealm / "tokenizer.json"), mask_token="[MASK]")
    expected = own(text.replace(GAP, "[MASK]"), truncation=True, max_length=288, padding=False)["input_ids"]
    assert ids.tolist() == expected
    near = CONTEXTS[3]
    whole = own(near.replace(GAP, " [MASK] "), padding=False, truncation=False)["input_ids"]
    assert encoder.tokeniser.contexts([near], settings)[0].tolist() == whole
    assert np.array_equal(
        encoder.encode("context", [np.array(whole)]), encoder.encode("quotation", [np.array(whole)])
    )


def test_the_names_that_the_scorer_of_realm_writes_are_read_too(crealm, tmp_path):
    folder = shutil.copytree(crealm, tmp_path / "scorer")
    weights = safetensors_torch.load_file(folder / "model.safetensors")
    renamed = {f"embedder.{name}": weight for name, weight in weights.items()}
    safetensors_torch.save_file(renamed, folder / "model.safetensors")
    first, second = (dense_encoder.Encoder(each, PRESETS["crealm"], asked="cpu") for each in (crealm, folder))
    assert np.array_equal(first.quotations(BOOK[:3]), second.quotations(BOOK[:3]))


@pytest.mark.parametrize(
    ("preset", "given", "says"),
    [
        ("crealm", {"pooling": "first"}, "projects its pooled state: pooling must be pooler, not first"),
        ("crealm", {"context_tokens": 0}, r"context_tokens is the whole text \(0\), but the encoder of cre"),
        ("sim", {"pooling": "first"}, "averages vectors of pieces: pooling must be mean, not first"),
        ("sim", {"gap": "mask"}, "has no mask token; the gap must be space or written"),
    ],
)
def test_settings_that_an_encoder_does_not_take_are_refused(crealm, sim, preset, given, says):
    settings = checked({**vars(PRESETS[preset]), **given})
    with pytest.raises(BadInput, match=says):
        dense_encoder.Encoder(crealm if preset == "crealm" else sim, settings, asked="cpu")


def test_sim_is_the_mean_of_the_pieces_that_have_a_vector(sim):
    encoder = dense_encoder.Encoder(sim, PRESETS["sim"], asked="cpu")
    found = encoder.quotations(["The BOAT left\nat dawn, zebra the lamp.", "zebra lamp", ""])
    assert np.abs(found[0] - mean(sim, "the", "boat", "left", "at", "dawn", ",", "the")).max() < 1e-6
    nothing = table(sim)[0] / np.linalg.norm(table(sim)[0])
    assert np.abs(found[1:] - nothing).max() < 1e-6


def test_sim_s_gap_is_written_as_its_script_does_and_nothing_is_cut(sim):
    encoder = dense_encoder.Encoder(sim, PRESETS["sim"], asked="cpu")
    (found,) = encoder.contexts([f"The boat {GAP} at dawn"])
    assert np.abs(found - mean(sim, "the", "boat", "<", "mask", ">", "at", "dawn")).max() < 1e-6
    (ids,) = encoder.tokeniser.contexts([f"{'boat ' * 3000}{GAP} dawn"], encoder.settings)
    assert ids.size == 3004
    short = Settings("mean", "cosine", "space", 8, 8, cut="end")
    assert encoder.tokeniser.contexts([f"{'boat ' * 30}{GAP}"], short)[0].size == 8


def test_the_words_before_the_pieces_are_the_treebank_s():
    said = "\"'tis the boat,\" she said; i can't, i cannot: they'll see mr. darcy's "
    said += "<mask> (soon...) at 8:30--ma'am."
    assert words(said) == [
        "``", "'t", "is", "the", "boat", ",", "''", "she", "said", ";", "i", "ca", "n't", ",", "i", "can",
        "not", ":", "they", "'ll", "see", "mr.", "darcy", "'s", "<", "mask", ">", "(", "soon", "...", ")",
        "at", "8:30", "--", "ma'am", ".",
    ]  # fmt: skip
    assert words("'dear me,' he said. 'gimme the boats' lamps!'") == [
        "'dear", "me", ",", "'", "he", "said.", "'", "gim", "me", "the", "boats", "'", "lamps", "!", "'"
    ]  # fmt: skip


def test_a_gap_may_be_written_for_a_transformer_too(toy):
    settings = Settings(gap="written", context_tokens=64)
    encoder = dense_encoder.Encoder(toy, settings, asked="cpu")
    plain = Tokenizer.from_file(str(toy / "tokenizer.json"))
    plain.encode_special_tokens = True
    (ids,) = encoder.tokeniser.contexts([f"the boat {GAP} at dawn"], settings)
    assert ids.tolist()[1:-1] == plain.encode("the boat <mask> at dawn", add_special_tokens=False).ids


def test_what_averages_or_projects_is_not_trained(sim, crealm):
    from retrieval.engine.training.recipe import Recipe

    for folder, name in ((sim, "sim"), (crealm, "crealm")):
        with pytest.raises(
            BadInput, match=f"{name} can be used, but not trained here; those that can are: rob"
        ):
            training.Trainer(folder, PRESETS[name], Recipe(), torch.device("cpu"))


def test_late_interaction_needs_vectors_of_tokens(crealm):
    from retrieval.engine.dense import late

    encoder = dense_encoder.Encoder(crealm, PRESETS["crealm"], asked="cpu")
    with pytest.raises(BadInput, match="gives one vector a text and none a token; rank with it by dense"):
        late._sides(encoder, crealm)


def test_a_table_that_does_not_fit_its_words_is_refused(sim, tmp_path):
    folder = shutil.copytree(sim, tmp_path / "changed")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 9}))
    with pytest.raises(BadInput, match=r"model\.safetensors does not fit"):
        building.build(folder, PRESETS["sim"])
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": True}))
    with pytest.raises(BadInput, match="has vocab_size True; it must be a whole number"):
        building.build(folder, PRESETS["sim"])
    words_ = json.loads((folder / "tokenizer.json").read_text())
    words_["model"]["vocab"] = words_["model"]["vocab"][:5]
    (folder / "tokenizer.json").write_text(json.dumps(words_))
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(BadInput, match="has 5 pieces, but the table 13 rows: it is another model's"):
        dense_encoder.Encoder(folder, PRESETS["sim"], asked="cpu")


def test_what_was_made_before_contexts_could_be_cut_at_their_end_is_still_found():
    assert "cut" not in Settings().named()
    assert PRESETS["crealm"].named()["cut"] == "end"

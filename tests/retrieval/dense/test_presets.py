"""Published encoders as configuration: each preset against transformers, on small models of its kind."""

import json
import shutil

import numpy as np
import pytest
from tokenizers import Tokenizer

from common.errors import BadInput
from retrieval.engine.dense import presets
from retrieval.engine.dense.presets import PRESETS
from retrieval.engine.dense.settings import Settings, checked
from retrieval.engine.text.tokens import GAP
from tests.retrieval.dense import berts
from tests.retrieval.dense.later import building, dense_encoder, torch, transformers
from tests.retrieval.dense.texts import BOOK, CONTEXTS


@pytest.fixture(scope="module")
def sentence_encoder(tmp_path_factory):
    return berts.sentence_encoder(tmp_path_factory.mktemp("models") / "small", BOOK)


@pytest.fixture(scope="module")
def dpr(tmp_path_factory):
    return berts.dpr(tmp_path_factory.mktemp("models") / "dpr", BOOK)


def whole(folder, text):
    """The ids of transformers' own way: the text with its special tokens, in one piece."""
    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokeniser.no_truncation()
    tokeniser.no_padding()
    first, last = ("[CLS]", "[SEP]") if tokeniser.token_to_id("[CLS]") is not None else ("<s>", "</s>")
    inner = tokeniser.encode(text, add_special_tokens=False).ids
    return [tokeniser.token_to_id(first), *inner, tokeniser.token_to_id(last)]


def vector(model, ids, settings):
    with torch.inference_mode():
        output = model(input_ids=torch.tensor([ids]))
    states = output.last_hidden_state[0]
    found = {"first": states[0], "mean": states.mean(0), "pooler": output.pooler_output[0]}[settings.pooling]
    return (found / found.norm() if settings.similarity == "cosine" else found).numpy()


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "dpr"])
def test_a_preset_reads_a_passage_as_transformers_does(name, toy, sentence_encoder):
    settings = checked(vars(PRESETS[name]) | {"context_tokens": 128, "quotation_tokens": 98})
    roberta = name.startswith(("relic", "simcse"))
    folder = toy if roberta else sentence_encoder
    loaded = toy / "quotation" if roberta else sentence_encoder
    model = (transformers.RobertaModel if roberta else transformers.BertModel).from_pretrained(loaded).eval()
    encoder = dense_encoder.Encoder(folder, settings, asked="cpu")
    texts = [settings.quotation_prefix + text for text in BOOK[:5]]
    expected = np.stack([vector(model, whole(folder, text), settings) for text in texts])
    assert np.abs(encoder.quotations(BOOK[:5]) - expected).max() < 1e-5


@pytest.mark.parametrize("name", ["minilm", "sentence", "contriever", "e5", "bge"])
def test_a_preset_without_a_mask_reads_left_and_right_as_one_text(name, sentence_encoder):
    settings = PRESETS[name]
    model = transformers.BertModel.from_pretrained(sentence_encoder).eval()
    encoder = dense_encoder.Encoder(sentence_encoder, settings, asked="cpu")
    left, _, right = CONTEXTS[3].partition(GAP)
    expected = vector(model, whole(sentence_encoder, settings.context_prefix + left + right), settings)
    assert np.abs(encoder.contexts(CONTEXTS[3:4])[0] - expected).max() < 1e-5


def test_a_prefix_is_never_cut_and_never_doubles_a_space(toy):
    settings = Settings(
        gap="space", context_tokens=24, context_prefix="query: ", quotation_tokens=16, quotation_prefix="the "
    )
    encoder = dense_encoder.Encoder(toy, settings, asked="cpu")
    (short,) = encoder.tokeniser.contexts([f"the boat {GAP}"], settings)
    assert short.tolist() == whole(toy, "query: the boat")
    (long,) = encoder.tokeniser.contexts([" the boat" * 40 + GAP + " the boat" * 40], settings)
    opening = whole(toy, "query:")[:-1]
    assert long.size == 24
    assert long[: len(opening)].tolist() == opening
    (passage,) = encoder.tokeniser.quotations(["boat left at dawn " * 9], settings)
    assert passage.tolist() == [*whole(toy, "the " + "boat left at dawn " * 9)[:15], 2]
    with pytest.raises(BadInput, match=r"The context_prefix has .* tokens and leaves too little of the 24"):
        encoder.tokeniser.contexts(["x"], Settings(context_tokens=24, context_prefix="the boat " * 20))


def test_dpr_is_two_encoders_each_with_a_bert_inside(dpr):
    encoder = dense_encoder.Encoder(dpr, PRESETS["dpr"], asked="cpu")
    own = transformers.DPRContextEncoder.from_pretrained(
        dpr / "quotation", config=transformers.DPRConfig.from_pretrained(dpr / "quotation")
    )
    with torch.inference_mode():
        expected = own.eval()(input_ids=torch.tensor([whole(dpr, BOOK[4])])).pooler_output[0].numpy()
    assert np.abs(encoder.quotations(BOOK[4:5])[0] - expected).max() < 1e-5
    assert np.abs(encoder.contexts(BOOK[4:5])[0] - expected).max() > 1e-2


def test_a_dpr_encoder_that_projects_is_refused(dpr, tmp_path):
    folder = shutil.copytree(dpr, tmp_path / "projecting")
    config = json.loads((folder / "context/config.json").read_text()) | {"projection_dim": 128}
    (folder / "context/config.json").write_text(json.dumps(config))
    with pytest.raises(BadInput, match=r"context/config\.json has projection_dim 128"):
        dense_encoder.Encoder(folder, PRESETS["dpr"], asked="cpu")


def test_a_folder_of_sentence_transformers_says_how_it_is_used(sentence_encoder, toy):
    assert checked(presets.beside(sentence_encoder)) == PRESETS["minilm"]
    assert presets.beside(toy) == {}


def changed(folder, target, name, text):
    made = shutil.copytree(folder, target / "changed")
    (made / name).write_text(text)
    return made


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("modules.json", '[{"type": "st.models.Dense", "path": "2_Dense"}]', "has a step 'Dense'"),
        ("modules.json", '[{"type": "st.models.Pooling", "path": "../.."}]', "names a pooling, but"),
        ("modules.json", "{}", "must hold a JSON list of objects"),
        (
            "1_Pooling/config.json",
            '{"pooling_mode_max_tokens": true}',
            "is pooling_mode_max_tokens; the enco",
        ),
        ("1_Pooling/config.json", "{}", "is none; the encoders here pool by one of"),
    ],
)
def test_a_use_the_encoders_do_not_know_is_refused(sentence_encoder, tmp_path, name, text, says):
    with pytest.raises(BadInput, match=says):
        presets.beside(changed(sentence_encoder, tmp_path, name, text))


def test_every_preset_is_settings_that_can_be_chosen():
    for name, settings in PRESETS.items():
        assert checked(vars(settings)) == settings, name
    with pytest.raises(BadInput, match="context_prefix is 5; it must be a text of at most 200"):
        checked({"context_prefix": 5})
    assert transformers.BertConfig().model_type in building.ARCHITECTURES

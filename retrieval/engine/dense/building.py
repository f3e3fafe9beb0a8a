"""An encoder out of its folder: built from the configuration, filled from safetensors by hand.

Nothing is looked up by name, fetched or executed. Which kinds there are:

    roberta, bert    as transformers have them; a BERT may lie inside DPR's encoder
    realm            a BERT whose pooled state is projected and normalised (REALM's embedder, c-REALM)
    average          a table of vectors of pieces (SIM)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.dense.average.model import KIND as AVERAGE
from retrieval.engine.dense.average.model import Average, Config, Output
from retrieval.engine.dense.average.tokens import PieceTokeniser
from retrieval.engine.dense.settings import Settings
from retrieval.engine.dense.tokens import Tokeniser

ARCHITECTURES = {"roberta": (RobertaConfig, RobertaModel), "bert": (BertConfig, BertModel)}
REALM = "realm"
KINDS = (*ARCHITECTURES, REALM, AVERAGE)
SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")
"""What of a configuration must be whole numbers from 1 before a model is made of it."""
DPR = ("ctx_encoder.bert_model.", "question_encoder.bert_model.")
"""What DPR's two encoders, each a BERT, write before the names of its weights."""
IGNORED = ("lm_head.", "cls.", "classifier.", "linear.", "embeddings.position_ids")
"""Weights of other heads, which a published checkpoint may carry along; `linear.` is late interaction's."""


class Projected(torch.nn.Module):  # type: ignore[misc]  # torch says no types
    """REALM's embedder: LayerNorm(W pooled + b), with BERT's pooled state of the first token.

    Guu, Lee, Tung, Pasupat and Chang 2020, "REALM", section 3.1; weights are named as the RealmEmbedder of
    transformers has them.
    """

    def __init__(self, config: Any, width: int) -> None:
        super().__init__()
        self.config, self.width = config, width
        self.bert = BertModel(config, add_pooling_layer=True)
        norm = torch.nn.LayerNorm(width, eps=config.layer_norm_eps)
        self.cls = torch.nn.ModuleDict(
            {"dense": torch.nn.Linear(config.hidden_size, width), "LayerNorm": norm}
        )

    def forward(self, input_ids: Any, attention_mask: Any) -> Output:
        """Return the projected state of each text (n, width)."""
        pooled = self.bert(input_ids=input_ids, attention_mask=attention_mask).pooler_output
        return Output(pooler_output=self.cls["LayerNorm"](self.cls["dense"](pooled)))


def build(folder: Path, settings: Settings) -> Any:
    """Load the model of one folder with its weights, float32, in evaluation mode, on the CPU.

    Raises:
        BadInput: the kind is unknown, the weights do not fit the configuration, or the settings not the kind.
    """
    data = _plain_bert(dense_folder.read_json(folder / dense_folder.CONFIG), folder)
    kind = data.get("model_type")
    if kind not in KINDS:
        raise BadInput(
            f"{folder.name}/{dense_folder.CONFIG} describes a {kind!r:.40}; "
            f"the encoders there are: {', '.join(KINDS)}."
        )
    model = _empty(kind, data, folder, settings)
    try:
        weights = safetensors.torch.load_file(folder / dense_folder.WEIGHTS)
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        raise BadInput(f"{folder.name}/{dense_folder.WEIGHTS} cannot be read: {error}.") from None
    bare = {_bare(name, kind): weight for name, weight in weights.items()}
    try:
        faults = model.load_state_dict(bare, strict=False)
    except RuntimeError as error:
        raise BadInput(f"{folder.name}/{dense_folder.WEIGHTS} does not fit: {error}"[:400]) from None
    allowed = IGNORED if settings.pooling == "pooler" else (*IGNORED, "pooler.")
    allowed = (*allowed, "bert.embeddings.position_ids") if kind == REALM else allowed
    strange = [name for name in faults.unexpected_keys if not name.startswith(allowed)]
    if faults.missing_keys or strange:
        what = f"lacks {faults.missing_keys[0]}" if faults.missing_keys else f"has also {strange[0]}"
        raise BadInput(f"{folder.name}/{dense_folder.WEIGHTS} does not fit its configuration: it {what}.")
    return model.float().eval()


def tokeniser(folder: Path, config: Any) -> Tokeniser | PieceTokeniser:
    """Return the tokeniser of a checkpoint whose encoders have this configuration.

    Raises:
        BadInput: the file is no tokeniser, or not that of the encoders.
    """
    if config.model_type == AVERAGE:
        return PieceTokeniser(folder, config.vocab_size)
    return Tokeniser(folder, config.model_type, config.vocab_size)


def check_room(name: str, config: Any, which: str, limit: int) -> None:
    """Raise `BadInput` where an encoder cannot read that many tokens; `name`: of its folder."""
    if config.model_type == AVERAGE:
        return
    # RoBERTa counts positions from the one after its padding token's.
    room = config.max_position_embeddings
    room -= int(config.pad_token_id) + 1 if config.model_type == "roberta" else 0
    if limit > room or limit == dense_settings.ALL:
        asked = limit or "the whole text (0)"
        raise BadInput(
            f"The setting {which}_tokens is {asked}, but the encoder of {name} reads "
            f"{room} at most; choose a smaller limit."
        )


def check_learns(name: str, config: Any, model: Any) -> None:
    """Raise `BadInput` for encoders that can be used but not trained; `name`: of their folder."""
    if config.model_type not in ARCHITECTURES or isinstance(model, Projected):
        raise BadInput(
            f"The encoder of {name} can be used, but not trained here; "
            f"those that can are: {', '.join(ARCHITECTURES)}."
        )


def _empty(kind: str, data: dict[str, Any], folder: Path, settings: Settings) -> Any:
    """A model of that kind without its weights."""
    place = f"{folder.name}/{dense_folder.CONFIG}"
    if kind == AVERAGE:
        _want(folder, "averages vectors of pieces", settings, pooling="mean")
        if settings.gap == "mask":
            raise BadInput(
                f"The encoder of {folder.name} has no mask token; the gap must be space or written."
            )
        return Average(Config.read(data, place))
    _check_sizes(data, place)
    if kind == REALM:
        _want(folder, "projects its pooled state", settings, pooling="pooler")
        width = data.get("retriever_proj_size")
        if not isinstance(width, int) or not 1 <= width <= data.get("hidden_size", 0):
            raise BadInput(
                f"{place} has retriever_proj_size {width!r:.20}; it must be a whole number from 1."
            )
        # The published configuration names another padding token than its tokeniser: BERT's has number 0.
        return Projected(BertConfig.from_dict({**data, "model_type": "bert", "pad_token_id": 0}), width)
    configuration, model_class = ARCHITECTURES[kind]
    try:
        return model_class(configuration.from_dict(data), add_pooling_layer=settings.pooling == "pooler")
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadInput(f"{place} describes no {kind} that can be built: {error}"[:400]) from None


def _check_sizes(data: dict[str, Any], place: str) -> None:
    """Raise `BadInput` where a size is no whole number from 1; one that is left out has its default."""
    for name in SIZES:
        value = data.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise BadInput(f"{place} has {name} {value!r:.20}; it must be a whole number from 1.")


def _want(folder: Path, what: str, settings: Settings, **wanted: str) -> None:
    for name, value in wanted.items():
        if getattr(settings, name) != value:
            raise BadInput(
                f"The encoder of {folder.name} {what}: {name} must be {value}, not {getattr(settings, name)}."
            )


def _plain_bert(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return DPR's configuration as that of the BERT inside it; any other as it is.

    Raises:
        BadInput: it projects the state of the first token, which the published encoders do not.
    """
    if data.get("model_type") != "dpr":
        return data
    if data.get("projection_dim"):
        raise BadInput(
            f"{folder.name}/{dense_folder.CONFIG} has projection_dim {data['projection_dim']!r:.20}; "
            "a DPR encoder is read here only without a projection (0)."
        )
    return {**data, "model_type": "bert"}


def _bare(name: str, kind: str) -> str:
    if kind == REALM:
        name = name.removeprefix("embedder.")
        return f"bert.{name.removeprefix('realm.')}" if name.startswith("realm.") else name
    for prefix in (f"{kind}.", *DPR):
        name = name.removeprefix(prefix)
    return name

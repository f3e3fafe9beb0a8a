"""Settings, by name, of how published encoders were trained to be used.

    relic          Thai et al. 2022: the mask between the contexts, state of the first token, dot product
    relic-pooler   as its published code does it: the pooler, a tanh layer on that state
    crealm         Krishna et al. 2021, as RELiC used it: one encoder, its projection, dot product
    sim            Wieting et al. 2019, as RELiC used it: mean of pieces, cosine, <mask> in the gap
    dpr            Karpukhin et al. 2020: two BERTs, state of the first token, dot product
    simcse         Gao et al. 2021, supervised: the pooler it was trained with, cosine
    simcse-unsup   the same, unsupervised: the state before the pooler
    sentence       Reimers and Gurevych 2019 (sentence-transformers): mean of the tokens, cosine
    minilm         Wang et al. 2020, as all-MiniLM-L6-v2: the same, of at most 256 tokens
    contriever     Izacard et al. 2022: mean of the tokens, dot product
    e5             Wang et al. 2022: mean, cosine, with its two prefixes
    colbert        Khattab and Zaharia 2020, for the ranker late, which pools nothing: passages of 180 tokens
    bge            Xiao et al. 2023: state of the first token, cosine, with its instruction

A folder of sentence-transformers says itself how it is used; `beside` reads it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.errors import BadInput
from retrieval.engine.dense.folder import read_json, read_objects
from retrieval.engine.dense.settings import ALL, Settings

_SENTENCE = Settings("mean", "cosine", "space", 256, 256)

PRESETS: dict[str, Settings] = {
    "relic": Settings(),
    "relic-pooler": Settings(pooling="pooler"),
    "crealm": Settings("pooler", "dot", "mask", 288, 288, cut="end"),
    "sim": Settings("mean", "cosine", "written", ALL, ALL, cut="end"),
    "dpr": Settings("first", "dot", "space", 256, 256),
    "simcse": Settings("pooler", "cosine", "space", 256, 256),
    "simcse-unsup": Settings("first", "cosine", "space", 256, 256),
    "sentence": Settings("mean", "cosine", "space", 512, 512),
    "minilm": _SENTENCE,
    "contriever": Settings("mean", "dot", "space", 256, 256),
    "e5": Settings("mean", "cosine", "space", 512, 512, "query: ", "passage: "),
    "colbert": Settings("mean", "cosine", "space", 256, 180),
    "bge": Settings(
        "first",
        "cosine",
        "space",
        512,
        512,
        "Represent this sentence for searching relevant passages: ",
    ),
}

MODULES, POOLING, LIMIT = "modules.json", "config.json", "sentence_bert_config.json"
_STEPS = ("Transformer", "Pooling", "Normalize")
_POOLINGS = {"pooling_mode_cls_token": "first", "pooling_mode_mean_tokens": "mean"}


def beside(folder: Path) -> dict[str, Any]:
    """Read what a folder of sentence-transformers says about its own use; empty where it is none.

    Raises:
        BadInput: it does something with the vectors that the encoders here do not.
    """
    if not (folder / MODULES).is_file():
        return {}
    found: dict[str, Any] = {"similarity": "dot", "gap": "space"}
    for step in read_objects(folder / MODULES):
        kind = str(step.get("type", "")).rpartition(".")[2]
        if kind not in _STEPS:
            raise BadInput(
                f"{folder.name}/{MODULES} has a step {kind!r:.40} that the encoders here do not take; "
                f"they take: {', '.join(_STEPS)}."
            )
        if kind == "Pooling":
            found["pooling"] = _pooling(folder / str(step.get("path", "")) / POOLING, folder)
        if kind == "Normalize":
            found["similarity"] = "cosine"
    if (folder / LIMIT).is_file():
        longest = read_json(folder / LIMIT).get("max_seq_length")
        if isinstance(longest, int):
            found |= {"context_tokens": min(longest, 512), "quotation_tokens": min(longest, 512)}
    return found


def _pooling(path: Path, folder: Path) -> str:
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise BadInput(f"{folder.name}/{MODULES} names a pooling, but {folder.name} has no such file.")
    told = read_json(path)
    on = [name for name, value in told.items() if name.startswith("pooling_mode_") and value is True]
    if len(on) != 1 or on[0] not in _POOLINGS:
        raise BadInput(
            f"The pooling of {folder.name} is {', '.join(on) or 'none'}; the encoders here pool by one of: "
            f"{', '.join(_POOLINGS)}."
        )
    return _POOLINGS[on[0]]

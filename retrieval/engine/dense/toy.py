"""Toy encoders, so that everything runs offline: a small RoBERTa with random weights and a byte-level
tokeniser.

It is a toy: it knows no language but what it is trained on here, and nothing it finds is a result. It has
every part of a real checkpoint, so tests and first steps need no download.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import RobertaConfig, RobertaModel

from retrieval.engine.dense import folder as dense_folder

MASK = "<mask>"
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", MASK)


class Shape(NamedTuple):
    """Sizes of a toy encoder.

    width: of a vector.
    layers: of the transformer.
    heads: of attention in each layer.
    vocabulary: most tokens.
    positions: most tokens of a text, and two.
    dropout: share left out in training; 0 makes training steps comparable.
    """

    width: int = 64
    layers: int = 1
    heads: int = 4
    vocabulary: int = 4000
    positions: int = 260
    dropout: float = 0.1


def tokeniser(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Train a byte-level BPE of at most so many tokens, RoBERTa's special ones first; deterministic."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[AddedToken(name, lstrip=name == MASK, special=True) for name in SPECIAL],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


def write(folder: Path, texts: Iterable[str], *, seed: int, shape: Shape | None = None) -> Path:
    """Write a checkpoint of two equal encoders into a new folder, and return it.

    Both encoders start from the same weights, as dense-RELiC's start from one RoBERTa.
    """
    folder.mkdir(parents=True)
    shape = shape or Shape()
    words = tokeniser(texts, shape.vocabulary)
    words.save(str(folder / dense_folder.TOKENISER))
    model = random_model(words.get_vocab_size(), shape, seed)
    for name in dense_folder.TOWERS:
        save(model, folder / name)
    return folder


def write_afresh(folder: Path, texts: Iterable[str], *, seed: int, shape: Shape | None = None) -> Path:
    """Write the same, replacing what an interrupted `write` may have left."""
    shutil.rmtree(folder, ignore_errors=True)
    return write(folder, texts, seed=seed, shape=shape)


def random_model(vocabulary: int, shape: Shape, seed: int) -> Any:
    """Return a RoBERTa with its pooler, random weights drawn from the seed."""
    config = RobertaConfig(
        vocab_size=vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=4 * shape.width,
        max_position_embeddings=shape.positions,
        type_vocab_size=1,
        hidden_dropout_prob=shape.dropout,
        attention_probs_dropout_prob=shape.dropout,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        layer_norm_eps=1e-5,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return RobertaModel(config, add_pooling_layer=True).eval()


def save(model: Any, folder: Path) -> None:
    """Write a model's configuration and weights, float32, into a new folder."""
    folder.mkdir(parents=True)
    model.config.to_json_file(str(folder / dense_folder.CONFIG), use_diff=False)
    weights = {name: value.detach().float().cpu().contiguous() for name, value in model.state_dict().items()}
    safetensors.torch.save_file(weights, folder / dense_folder.WEIGHTS)

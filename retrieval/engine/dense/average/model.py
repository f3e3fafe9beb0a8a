"""The encoder that is a table: one vector a piece, and a text is the mean of its pieces' vectors.

    f(text) = (1 / n) Σ_i e(piece_i)

Wieting, Berg-Kirkpatrick, Gimpel and Neubig 2019, "Beyond BLEU: Training Neural Machine Translation with
Semantic Similarity", section 3 (SIM). Two texts are compared by cosine.

    config.json          {"model_type": "average", "vocab_size": rows, "hidden_size": width}
    model.safetensors    embedding.weight (rows, width); row 0 stands for a text without any known piece
    tokenizer.json       SentencePiece's pieces; those from number `rows` on have no vector and are left out
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from common.errors import BadInput
from retrieval.engine.dense.average.tokens import NOTHING

KIND = "average"
TABLE = "embedding.weight"
MOST = 10_000_000


@dataclass(frozen=True)
class Config:
    """How large the table is.

    vocab_size: its rows.
    hidden_size: numbers of a vector.
    pad_token_id: the token that fills up shorter texts of a batch; it never counts.
    model_type: `KIND`.
    """

    vocab_size: int
    hidden_size: int
    pad_token_id: int = NOTHING
    model_type: str = KIND

    @classmethod
    def read(cls, data: Mapping[str, Any], place: str) -> Config:
        """Return the configuration that a config.json holds.

        Raises:
            BadInput: a size is missing or no size.
        """
        for name in ("vocab_size", "hidden_size"):
            value = data.get(name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
                raise BadInput(f"{place} has {name} {value!r:.20}; it must be a whole number from 1.")
        return cls(data["vocab_size"], data["hidden_size"])


class Output(NamedTuple):
    """What an encoder says of a batch, as transformers name it.

    last_hidden_state: (n, longest, width), a vector a token; None where there is none.
    pooler_output: (n, width), a vector a text; None where there is none.
    """

    last_hidden_state: Any = None
    pooler_output: Any = None


class Average(torch.nn.Module):  # type: ignore[misc]  # torch says no types
    """The table; the mean is taken by the encoders' pooling."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = torch.nn.Embedding(config.vocab_size, config.hidden_size)

    def forward(self, input_ids: Any, attention_mask: Any) -> Output:
        """Return the vectors of tokens (n, longest), padding among them."""
        return Output(self.embedding(input_ids))

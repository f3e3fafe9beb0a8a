"""SIM's two published files as a checkpoint's folder: a table of vectors, and the pieces texts are cut into.

`sim.pt` holds `state_dict` (the table), `vocab_words` (a piece's row) and `args`; beside it lies
SentencePiece's `.model`. As the published code looks pieces up (Wieting et al. 2019): in lower case; one that
is not in `vocab_words`, or that has row 0 there, does not count; a text of which nothing counts is `UUUNKKK`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import torch

from common.errors import BadInput
from retrieval.engine.dense.average.model import TABLE, Config
from retrieval.engine.dense.published import pickled, pieces

WORDS = "vocab_words"
NOTHING = "UUUNKKK"


class Table(NamedTuple):
    """SIM ready to be written.

    config: for config.json.
    weights: for model.safetensors.
    order: the pieces of its tokeniser, those with a vector first.
    told: for the card.
    """

    config: dict[str, Any]
    weights: dict[str, torch.Tensor]
    order: list[str]
    told: dict[str, int]


def is_sim(found: Any) -> bool:
    """Return whether a file held what SIM's does."""
    return isinstance(found, Mapping) and WORDS in found


def table(found: Mapping[str, Any], known: pieces.Pieces, name: str) -> Table:
    """Return the table of what SIM's file `name` held, in the order of its pieces.

    Raises:
        BadInput: it is no table (the published code can also train other encoders), or words have no row.
    """
    weights = pickled.weights(found, name)
    if set(weights) != {TABLE} or weights[TABLE].dim() != 2:
        raise BadInput(
            f"{name} holds {', '.join(sorted(weights))[:100]}; only a table of vectors ({TABLE}), "
            "whose mean is the text's vector, can be converted."
        )
    rows, words = weights[TABLE], found[WORDS]
    if not isinstance(words, Mapping) or not all(
        isinstance(word, str) and type(row) is int and 0 <= row < len(rows) for word, row in words.items()
    ):
        raise BadInput(f"{name} has {WORDS} that do not number the {len(rows):,} rows of its table.")
    if NOTHING not in words:
        raise BadInput(
            f"{name} has no {NOTHING} among its {WORDS}, the vector of a text without a known piece."
        )
    with_vector = [piece for piece in known.scores if words.get(piece.lower())]
    order = [*with_vector, *(piece for piece in known.scores if not words.get(piece.lower()))]
    chosen = rows[[words[NOTHING], *(words[piece.lower()] for piece in with_vector)]]
    reached = {NOTHING, *(piece.lower() for piece in with_vector)}
    return Table(
        asdict(Config(len(chosen), chosen.shape[1])),
        {TABLE: chosen.contiguous()},
        order,
        {
            "pieces": len(with_vector),
            "pieces_without_vector": len(order) - len(with_vector),
            "words_that_are_no_piece": sum(1 for word, row in words.items() if row and word not in reached),
        },
    )

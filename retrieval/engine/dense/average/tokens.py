"""Texts as SIM reads them: lower case, words of the Treebank, their SentencePiece pieces.

Pieces without a vector are left out, as the published code does; a text with none left is the one token that
stands for it. There are no special tokens, and nothing is cut where a limit is `settings.ALL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import category

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.dense.average.words import words
from retrieval.engine.dense.folder import TOKENISER
from retrieval.engine.dense.settings import ALL, Settings
from retrieval.engine.dense.tokens import WRITTEN, Ids, load_tokeniser
from retrieval.engine.text.tokens import GAP

NOTHING = 0
"""The token, and the row of the table, of a text without any piece that has a vector."""
SPACE = "\u2581"
"""What SentencePiece writes for a space."""


class PieceTokeniser:
    """The pieces of an encoder that averages, with the methods of `tokens.Tokeniser`.

    Args:
        folder: Holds tokenizer.json.
        vocabulary: How many rows the table has; pieces from this number on have no vector.

    Raises:
        BadInput: the file is no tokeniser, or knows fewer pieces than the table.
    """

    def __init__(self, folder: Path, vocabulary: int) -> None:
        self._tokeniser = load_tokeniser(folder)
        self._vocabulary = vocabulary
        known = self._tokeniser.get_vocab_size()
        if known < vocabulary:
            raise BadInput(
                f"{folder.name}/{TOKENISER} has {known:,} pieces, but the table {vocabulary:,} rows: "
                "it is another model's tokeniser."
            )

    def check(self, folder: Path, vocabulary: int, pad: int) -> None:
        """Do nothing: pieces may have no vector, and padding is no piece."""

    def quotations(self, texts: Sequence[str], settings: Settings) -> list[Ids]:
        """Return the ids (n,) of each text, int32, n at least 1."""
        return self._read([settings.quotation_prefix + text for text in texts], settings.quotation_tokens)

    def contexts(self, queries: Sequence[str], settings: Settings) -> list[Ids]:
        """Return the ids (n,) of each query, its quotation's place marked by `GAP`."""
        gap = f" {WRITTEN} " if settings.gap == "written" else " "
        texts = [settings.context_prefix + query.replace(GAP, gap, 1) for query in queries]
        return self._read(texts, settings.context_tokens)

    def punctuation(self) -> npt.NDArray[np.bool_]:
        """Return which pieces are only punctuation or symbols, (vocabulary,) bool."""
        found = np.zeros(self._vocabulary, dtype=np.bool_)
        for at in range(1, self._vocabulary):
            bare = (self._tokeniser.id_to_token(at) or "").strip(SPACE)
            found[at] = bool(bare) and all(category(each)[0] in "PS" for each in bare)
        return found

    def _read(self, texts: Sequence[str], limit: int) -> list[Ids]:
        split = [" ".join(words(text.lower())) for text in texts]
        found = []
        for each in self._tokeniser.encode_batch(split, add_special_tokens=False):
            ids = [at for at in each.ids if NOTHING < at < self._vocabulary]
            found.append(np.array(ids if limit == ALL else ids[:limit], dtype=np.int32))
        nothing = np.array([NOTHING], dtype=np.int32)
        return [ids if ids.size else nothing for ids in found]

"""Texts as token ids, as the encoders were trained to read them.

A quotation is `<s> tokens </s>`, cut at its end. A context is `<s> left <mask> right </s>`, cut symmetrically
round the mask; what one side does not need the other may use. Left and right are tokenised apart from each
other, which gives the ids of the whole, because a special token separates them; a critic who writes `<mask>`
writes six characters and no gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from retrieval.engine.dense_folder import TOKENISER
from retrieval.engine.dense_settings import Settings
from retrieval.engine.errors import BadInput
from retrieval.engine.tokens import GAP

Ids = npt.NDArray[np.int32]

SPECIAL = {"roberta": ("<s>", "</s>", "<mask>"), "bert": ("[CLS]", "[SEP]", "[MASK]")}
"""First, last and mask token of each architecture."""


class Tokeniser:
    """The tokeniser of a checkpoint.

    Args:
        folder: Holds tokenizer.json.
        architecture: A key of `SPECIAL`.
        vocabulary: How many tokens the encoders know.

    Raises:
        BadInput: the file is no tokeniser, or not that of the encoders.
    """

    def __init__(self, folder: Path, architecture: str, vocabulary: int) -> None:
        try:
            self._tokeniser = Tokenizer.from_file(str(folder / TOKENISER))
        except Exception as error:  # noqa: BLE001 - tokenizers raises no narrower one
            raise BadInput(f"{folder.name}/{TOKENISER} is no tokeniser: {error}.") from None
        self._tokeniser.no_truncation()
        self._tokeniser.no_padding()
        self._tokeniser.encode_special_tokens = True
        known = self._tokeniser.get_vocab_size(with_added_tokens=True)
        if known > vocabulary:
            raise BadInput(
                f"{folder.name}/{TOKENISER} has {known:,} tokens, but the encoder knows {vocabulary:,}: "
                "it is another model's tokeniser."
            )
        ids: list[int] = []
        for token in SPECIAL[architecture]:
            found = self._tokeniser.token_to_id(token)
            if found is None:
                raise BadInput(
                    f"{folder.name}/{TOKENISER} has no {token}, which the encoder was trained with."
                )
            ids.append(int(found))
        self._first, self._last, self._mask = ids

    def quotations(self, texts: Sequence[str], settings: Settings) -> list[Ids]:
        """Ids (n,) of each text, int32, n at most `quotation_tokens`."""
        room = settings.quotation_tokens - 2
        return [self._framed(ids[:room]) for ids in self._plain(list(texts))]

    def contexts(self, queries: Sequence[str], settings: Settings) -> list[Ids]:
        """Ids (n,) of each query, its quotation's place marked by `GAP`; without a mark it is at the end."""
        sides = [query.partition(GAP)[::2] for query in queries]
        lefts = self._plain([left.rstrip() for left, _ in sides])
        # The space that separates a word from the one before belongs to it in a byte-level vocabulary.
        rights = self._plain([f" {right.strip()}" if right.strip() else "" for _, right in sides])
        middle = [self._mask] if settings.gap == "mask" else []
        room = settings.context_tokens - 2 - len(middle)
        framed = []
        for left, right in zip(lefts, rights, strict=True):
            before = min(len(left), max(room // 2, room - len(right)))
            framed.append(self._framed([*left[len(left) - before :], *middle, *right[: room - before]]))
        return framed

    def _plain(self, texts: list[str]) -> list[list[int]]:
        return [each.ids for each in self._tokeniser.encode_batch(texts, add_special_tokens=False)]

    def _framed(self, ids: Sequence[int]) -> Ids:
        return np.array([self._first, *ids, self._last], dtype=np.int32)

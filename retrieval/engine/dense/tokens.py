"""Texts as token ids, as the encoders were trained to read them.

A quotation is `<s> tokens </s>`, cut at its end. A context is `<s> left <mask> right </s>`, cut symmetrically
round the mask, where what one side does not need the other may use, or at its end. What a prefix setting says
stands after the first token and is never cut. Left and right are tokenised apart from each other, which gives
the ids of the whole, because a special token separates them; a critic who writes `<mask>` writes six
characters and no gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import category

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from common.errors import BadInput
from retrieval.engine.dense.folder import TOKENISER
from retrieval.engine.dense.settings import Settings
from retrieval.engine.text.tokens import GAP

Ids = npt.NDArray[np.int32]
PARTIAL = "\ufffd"
"""What a byte-level token decodes to that ends within a character."""

SPECIAL = {"roberta": ("<s>", "</s>", "<mask>"), "bert": ("[CLS]", "[SEP]", "[MASK]")}
"""First, last and mask token of each architecture."""
PADDING = ("<pad>", "[PAD]")
WRITTEN = "<mask>"
"""What stands in a gap that is written out; read as six characters."""
SPARE = 1024
"""Tokens that an encoder may know beyond its tokeniser's: some are made larger to a round number."""


def load_tokeniser(folder: Path) -> Tokenizer:
    """Return the tokeniser of a checkpoint's folder, which neither cuts nor pads.

    Raises:
        BadInput: the file is no tokeniser.
    """
    try:
        tokeniser = Tokenizer.from_file(str(folder / TOKENISER))
    except Exception as error:  # noqa: BLE001 - tokenizers raises no narrower one
        raise BadInput(f"{folder.name}/{TOKENISER} is no tokeniser: {error}.") from None
    tokeniser.no_truncation()
    tokeniser.no_padding()
    return tokeniser


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
        self._tokeniser = load_tokeniser(folder)
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

    def check(self, folder: Path, vocabulary: int, pad: int) -> None:
        """Raise `BadInput` unless encoders with this vocabulary size and padding were trained with it.

        Raises:
            BadInput: it is plainly another model's. That of another model of the same size is not found out.
        """
        known = self._tokeniser.get_vocab_size(with_added_tokens=True)
        if known + SPARE < vocabulary:
            raise BadInput(
                f"{folder.name}/{TOKENISER} has {known:,} tokens, but the encoder was trained with "
                f"{vocabulary:,}: it is another model's tokeniser."
            )
        for name in PADDING:
            found = self._tokeniser.token_to_id(name)
            if found is not None and found != pad:
                raise BadInput(
                    f"{folder.name}/{TOKENISER} has {name} as token {found}, but the encoder pads with "
                    f"{pad}: it is another model's tokeniser."
                )

    def quotations(self, texts: Sequence[str], settings: Settings) -> list[Ids]:
        """Return the ids (n,) of each text, int32, n at most `quotation_tokens`."""
        before = self._prefix("quotation", settings)
        room = settings.quotation_tokens - 2 - len(before)
        # In a byte-level vocabulary the space after the prefix belongs to the first word.
        given = [f" {text.lstrip()}" for text in texts] if before else list(texts)
        return [self._framed([*before, *ids[:room]]) for ids in self._plain(given)]

    def contexts(self, queries: Sequence[str], settings: Settings) -> list[Ids]:
        """Return the ids (n,) of each query, its quotation's place marked by `GAP`; without a mark, at the
        end.
        """
        first = self._prefix("context", settings)
        sides = [query.partition(GAP)[::2] for query in queries]
        lefts = self._plain([f" {left.strip()}" if first else left.rstrip() for left, _ in sides])
        # The space that separates a word from the one before belongs to it in a byte-level vocabulary.
        rights = self._plain([f" {right.strip()}" if right.strip() else "" for _, right in sides])
        middle = self._middle(settings)
        room = settings.context_tokens - 2 - len(middle) - len(first)
        framed = []
        for left, right in zip(lefts, rights, strict=True):
            before = min(len(left), max(room // 2, room - len(right)))
            kept = [*left[len(left) - before :], *middle, *right[: room - before]]
            if settings.cut == "end":
                kept = [*left, *middle, *right][: room + len(middle)]
            framed.append(self._framed([*first, *kept]))
        return framed

    def _middle(self, settings: Settings) -> list[int]:
        """The ids of what stands in the gap."""
        if settings.gap == "written":
            return self._plain([f" {WRITTEN}"])[0]
        return [self._mask] if settings.gap == "mask" else []

    def _prefix(self, which: str, settings: Settings) -> list[int]:
        """The ids of what is written before each text; never cut."""
        text = str(getattr(settings, f"{which}_prefix"))
        ids = self._plain([text.rstrip()])[0] if text.strip() else []
        limit = int(getattr(settings, f"{which}_tokens"))
        if len(ids) > limit // 2:
            raise BadInput(
                f"The {which}_prefix has {len(ids)} tokens and leaves too little of the {limit} "
                f"that {which}_tokens allows; choose a larger limit or a shorter prefix."
            )
        return ids

    def punctuation(self) -> npt.NDArray[np.bool_]:
        """Return which tokens are only punctuation or symbols, (vocabulary,) bool; special ones never are."""
        number = self._tokeniser.get_vocab_size(with_added_tokens=True)
        found = np.zeros(number, dtype=np.bool_)
        for at, word in enumerate(self._tokeniser.decode_batch([[at] for at in range(number)])):
            bare = word.strip()
            found[at] = bool(bare) and all(category(each)[0] in "PS" and each != PARTIAL for each in bare)
        found[[self._first, self._last, self._mask]] = False
        return found

    def _plain(self, texts: list[str]) -> list[list[int]]:
        return [each.ids for each in self._tokeniser.encode_batch(texts, add_special_tokens=False)]

    def _framed(self, ids: Sequence[int]) -> Ids:
        return np.array([self._first, *ids, self._last], dtype=np.int32)

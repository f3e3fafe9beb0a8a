"""Vectors of words, as a ranker uses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class WordVectors:
    """The vectors of a list of words.

    Terms are lower case and composed (Unicode's NFC): a word that the file has with capitals alone, or with
    accents as letters of their own, is found as a term, too.

    words: each once, in the order of the rows.
    matrix: float32 (n_words, width), as in the file: not normalised; may be memory-mapped.
    sha256: of the file they were read from; empty where they were made in memory.
    """

    words: Sequence[str]
    matrix: npt.NDArray[np.float32]
    sha256: str = ""
    _rows: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows = {word: row for row, word in enumerate(self.words)}
        for row, word in enumerate(self.words):
            rows.setdefault(normalize("NFC", word).lower(), row)
        object.__setattr__(self, "_rows", rows)

    @property
    def width(self) -> int:
        """Return the number of dimensions."""
        return int(self.matrix.shape[1])

    def rows(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the row of each word (n,), -1 for one without a vector."""
        return np.array([self._rows.get(word, -1) for word in words], dtype=np.int64)

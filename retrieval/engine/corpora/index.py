"""The index of a corpus, opened: counts of terms in documents, mapped from disk, and subsets of documents.

Counts are stored and not scores, so that one index serves every variant of BM25, every k1 and b, and every
subset, whose statistics are its own. An index of a million documents is opened in milliseconds; its pages
are read where a search touches them, and the system may drop them again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from retrieval.engine.corpora import manifest
from retrieval.engine.corpora.tokenising import Tokeniser
from retrieval.engine.corpora.vocabulary import Vocabulary

Counts = npt.NDArray[np.integer[Any]]
Mask = npt.NDArray[np.bool_]

_AT_A_TIME = 2**22


class CorpusIndex:
    """An index on disk, ready to be searched; opened as often as one likes, by any number of processes.

    folder: where it is.
    manifest: what it was built from, and how.
    tokeniser: makes terms of queries as it made terms of the documents.
    vocabulary: its terms.
    lengths: (documents,) how many terms each document has, repeated ones as often as they stand there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = manifest.read(folder)
        manifest.check_sizes(folder, self.manifest)
        self.tokeniser = Tokeniser(self.manifest.settings)
        self.vocabulary = Vocabulary(folder)
        self.lengths: Counts = self._mapped("lengths")
        self._starts = self._mapped("starts")
        self._documents = self._mapped("documents")
        self._counts = self._mapped("counts")

    def __len__(self) -> int:
        """Return how many documents there are."""
        return self.manifest.documents

    def postings(self, number: int) -> tuple[Counts, Counts]:
        """Return the documents (n,) that have the term of that number, ascending, and its counts (n,)."""
        part = slice(int(self._starts[number]), int(self._starts[number + 1]))
        return self._documents[part], self._counts[part]

    def frequencies(self) -> Counts:
        """Return in how many documents each term stands: (terms,)."""
        return np.diff(self._starts)

    def frequencies_within(self, mask: Mask) -> Counts:
        """Return in how many documents of a mask (documents,) each term stands: (terms,)."""
        found = np.zeros(len(self.vocabulary), dtype=np.int64)
        starts, low = self._starts, 0
        while low < found.size:
            high = max(low + 1, int(np.searchsorted(starts, starts[low] + _AT_A_TIME, side="right")) - 1)
            first, last = int(starts[low]), int(starts[high])
            # Every term has a posting, so that no group is empty and reduceat may be used.
            inside = mask[self._documents[first:last]]
            found[low:high] = np.add.reduceat(inside, starts[low:high] - first, dtype=np.int64)
            low = high
        return found

    def check(self) -> None:
        """Read all files and compare them with the manifest.

        Raises:
            BadInput: one is not as it was written; the message names it.
        """
        manifest.check_contents(self.folder, self.manifest)

    def _mapped(self, name: str) -> Counts:
        found: Counts = np.load(self.folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        # The same memory as a plain array: slicing a memmap costs more than a short list of postings.
        return found.view(np.ndarray)


@dataclass(frozen=True)
class Subset:
    """Some documents of an index, with the statistics that they have by themselves.

    name: what a run says it is, such as `genre=fiction`; `all` for the whole corpus.
    mask: (documents,) which documents belong to it, or None for all.
    documents: how many.
    tokens: their terms, repeated ones as often as they stand there.
    frequencies: (terms,) in how many of them each term stands.
    """

    name: str
    mask: Mask | None
    documents: int
    tokens: int
    frequencies: Counts

    @property
    def mean_length(self) -> float:
        """Return the mean number of terms of a document."""
        return self.tokens / self.documents

    def describe(self) -> dict[str, Any]:
        """Return what a run stores of it: the name, N, mean length, and the digest of the mask."""
        return {
            "name": self.name,
            "documents": self.documents,
            "mean_length": self.mean_length,
            "mask_sha256": mask_digest(self.mask),
        }


def mask_digest(mask: Mask | None) -> str | None:
    """Return the sha256 of a mask (documents,), by which runs over the same choice know each other."""
    return None if mask is None else hashlib.sha256(np.packbits(mask).tobytes()).hexdigest()


def whole(index: CorpusIndex) -> Subset:
    """Return all documents of an index."""
    return Subset("all", None, len(index), index.manifest.tokens, index.frequencies())


def subset(index: CorpusIndex, mask: npt.ArrayLike, name: str) -> Subset:
    """Return the documents that a mask (documents,) of true and false chooses.

    Its statistics are counted in one walk over all postings (12 million: 0.14 s), so keep it.

    Raises:
        BadInput: the mask has another length, is not of truth values, or chooses no document with a term.
    """
    chosen = np.asarray(mask)
    if chosen.shape != (len(index),) or chosen.dtype != np.bool_:
        raise BadInput(
            f"The subset {name!r:.60} has a mask of shape {chosen.shape} and type {chosen.dtype}; "
            f"it must have a truth value for each of the {len(index):,} documents."
        )
    tokens = int(index.lengths[chosen].sum(dtype=np.int64))
    if not tokens:
        raise BadInput(f"The subset {name!r:.60} has no document with a term; choose another.")
    number = int(np.count_nonzero(chosen))
    return Subset(name, chosen, number, tokens, index.frequencies_within(chosen))

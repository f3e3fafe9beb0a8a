"""The first pass of building an index: documents counted block by block, each block kept on disk.

A block is a folder that appears whole: its counts, the words that are new in it, and `block.json`, from
which an interrupted pass goes on. Term numbers are provisional, by first occurrence; `merging` makes the
final ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from retrieval.engine.corpora.tokenising import Tokeniser

Numbers = npt.NDArray[np.int32]

TOKENS = 2**21
"""A block ends with the document that reaches so many words: about 100 MB while it is counted."""
_DESCRIPTION, _WORDS = "block.json", "words.txt"


@dataclass(frozen=True)
class Reached:
    """How far the first pass is after a block.

    documents: documents counted so far, so the number of the next.
    tokens: their words.
    postings: pairs of a document and one of its terms.
    terms: different terms.
    largest: the largest count of a term in one document.
    digest: over the texts of all these documents, in hexadecimal digits; see `text_digest`.
    """

    documents: int = 0
    tokens: int = 0
    postings: int = 0
    terms: int = 0
    largest: int = 0
    digest: str = "0" * 64


class Block(NamedTuple):
    """The counts of one block, mapped from disk and grouped by term.

    terms: (n,) its different terms, ascending.
    sizes: (n,) how many of its documents have each.
    documents: (postings,) their numbers, term by term, ascending within each.
    counts: (postings,) how often the term stands in the document.
    """

    terms: Numbers
    sizes: Numbers
    documents: Numbers
    counts: npt.NDArray[np.unsignedinteger[Any]]


def text_digest(before: bytes, text: str) -> bytes:
    """Return the digest of some texts and one more: SHA-256 of the digest of those before and the text.

    It begins with 32 zero bytes. Chained, because a pass that is interrupted goes on from 32 bytes.
    """
    return hashlib.sha256(before + text.encode()).digest()


class BlockWriter:
    """Counts documents into blocks in a folder, and goes on from the blocks that are there."""

    def __init__(self, folder: Path, tokeniser: Tokeniser, block_tokens: int = TOKENS) -> None:
        self.folder = folder
        self.block_tokens = block_tokens
        self.reached = Reached()
        self._numbers = _Numbers(tokeniser)
        self._split = tokeniser.split
        folder.mkdir(parents=True, exist_ok=True)
        for place in folders(folder):
            for word in (place / _WORDS).read_text(encoding="utf-8").split("\n")[:-1]:
                self._numbers.add(word)
            self.reached = _reached(place)

    @property
    def terms(self) -> list[str]:
        """Return all terms, each at its provisional number."""
        return list(self._numbers.terms)

    def write(self, texts: Iterable[str]) -> Iterator[Reached]:
        """Count the texts of the documents from `reached.documents` on, yielding after each block stored."""
        numbers, lengths = array("i"), array("i")
        digest = bytes.fromhex(self.reached.digest)
        for text in texts:
            before = len(numbers)
            numbers.extend(map(self._numbers.__getitem__, self._split(text)))
            lengths.append(len(numbers) - before)
            digest = text_digest(digest, text)
            if len(numbers) >= self.block_tokens:
                yield self._store(numbers, lengths, digest)
                numbers, lengths = array("i"), array("i")
        if lengths:
            yield self._store(numbers, lengths, digest)

    def _store(self, numbers: array[int], lengths: array[int], digest: bytes) -> Reached:
        words = np.frombuffer(numbers, dtype=np.int32)
        sizes = np.frombuffer(lengths, dtype=np.int32)
        rows = np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)
        if (kept := words >= 0).all():
            keys = words * np.int64(sizes.size) + rows
        else:
            words, rows = words[kept], rows[kept]
            sizes = np.bincount(rows, minlength=sizes.size).astype(np.int32)
            keys = words * np.int64(sizes.size) + rows
        first, reached = self.reached, len(self._numbers.terms)
        pairs, counts = _runs(keys)
        of_terms, rows = np.divmod(pairs, sizes.size)
        terms, groups = _runs(of_terms, ordered=True)
        largest = int(counts.max(initial=0))
        self.reached = Reached(
            documents=first.documents + sizes.size,
            tokens=first.tokens + words.size,
            postings=first.postings + pairs.size,
            terms=reached,
            largest=max(first.largest, largest),
            digest=digest.hex(),
        )
        arrays = {
            "terms": terms.astype(np.int32),
            "sizes": groups.astype(np.int32),
            "documents": (rows + first.documents).astype(np.int32),
            "counts": counts.astype(np.min_scalar_type(largest)),
            "lengths": sizes,
        }
        self._keep(arrays, self._numbers.terms[first.terms :])
        return self.reached

    def _keep(self, arrays: dict[str, npt.NDArray[Any]], new: list[str]) -> None:
        place = self.folder / f"{len(folders(self.folder)):06d}"
        writing = place.with_suffix(".writing")
        shutil.rmtree(writing, ignore_errors=True)
        writing.mkdir()
        for name, values in arrays.items():
            np.save(writing / f"{name}.npy", values, allow_pickle=False)
        (writing / _WORDS).write_text("".join(f"{word}\n" for word in new), encoding="utf-8")
        (writing / _DESCRIPTION).write_text(json.dumps(asdict(self.reached)), encoding="utf-8")
        for file in writing.iterdir():
            synced(file)
        os.replace(writing, place)
        synced(self.folder)


def folders(folder: Path) -> list[Path]:
    """Return the folders of the blocks that are there whole, in order."""
    return sorted(place for place in folder.iterdir() if place.suffix != ".writing")


def mapped(place: Path) -> Block:
    """Return the counts of a block, mapped into memory."""
    return Block(*(np.load(place / f"{name}.npy", mmap_mode="r") for name in Block._fields))


def lengths(place: Path) -> Numbers:
    """Return how many terms each document of a block has, repeated ones as often as they stand there."""
    return np.asarray(np.load(place / "lengths.npy"), dtype=np.int32)


def synced(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Numbers(dict[str, int]):
    """The provisional number of each word as it stands in a text; -1 for a stop word."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__()
        self.terms: list[str] = []
        self._term = tokeniser.term
        self._known: dict[str, int] = {}

    def add(self, term: str) -> int:
        number = self._known.setdefault(term, len(self.terms))
        if number == len(self.terms):
            self.terms.append(term)
        return number

    def __missing__(self, word: str) -> int:
        term = self._term(word)
        number = self[word] = -1 if term is None else self.add(term)
        return number


def _reached(place: Path) -> Reached:
    return Reached(**json.loads((place / _DESCRIPTION).read_text(encoding="utf-8")))


def _runs(
    keys: npt.NDArray[np.int64], *, ordered: bool = False
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The different keys, ascending, and how often each stands there."""
    if not ordered:
        keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.diff(starts, append=keys.size)

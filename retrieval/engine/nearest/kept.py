"""The vectors of a corpus's documents on disk: made block by block, then mapped.

    vectors.npy      (documents, width), float16
    manifest.json    what they were made from and by, and how many documents the encoder read in part

A block is always the same documents, so vectors that were made in several goes are those of one go, bit by
bit. Documents that read the same get the vector of the first of them: they tie, wherever they stand. The
folder is moved to its place when it is whole; what was interrupted goes on after its last block.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.engine.corpora.blocks import synced
from retrieval.engine.corpora.building import Texts, staged, turn

FORMAT = "corpus-vectors-1"
BLOCK = 1_024
"""Documents encoded and stored together."""
Matrix = npt.NDArray[np.float32]
Stored = npt.NDArray[np.float16]
Encode = Callable[[Sequence[str]], tuple[Matrix, npt.NDArray[np.bool_]]]
"""Called with texts; gives their vectors (n, width), and (n,) which of them are longer than is read."""

_AT_ONCE = 16_384
_DTYPE = np.dtype(np.float16)
_RECORD = np.dtype([("high", "<u8"), ("low", "<u8"), ("cut", "u1")])
"""Of each document: digest of its text, and whether it was cut."""
_VECTORS, _MANIFEST, _RECORDS, _BEGUN = "vectors.npy", "manifest.json", "records.bin", "begun.json"


@dataclass(frozen=True)
class Manifest:
    """What kept vectors are.

    documents: how many.
    width: numbers of a vector.
    cut: documents that are as long as the encoder reads, or longer; what is behind that was not read.
    texts_sha256: digest of the digests of all texts, in their order.
    what: what they were made from and by, as it was given.
    """

    documents: int
    width: int
    cut: int
    texts_sha256: str
    what: Mapping[str, Any]


@dataclass(frozen=True)
class Kept:
    """Vectors (documents, width) mapped from disk, and what they are."""

    vectors: Stored
    manifest: Manifest


def build(
    folder: Path,
    texts: Texts,
    number: int,
    width: int,
    encode: Encode,
    what: Mapping[str, Any],
    progress: Progress = silent,
) -> None:
    """Encode all documents into `folder`, unless that is there already.

    Where another process is at it this one waits: it takes what that has made, or goes on after its last
    block where it was stopped.

    Args:
        folder: Its name must depend on `what`.
        texts: Gives the texts, from any document on.
        number: How many documents there are.
        width: Numbers of a vector.
        encode: Makes vectors of texts.
        what: What they are made from and by: any JSON.
        progress: Called after each block with documents done, and while this waits for another; it may
            raise to interrupt, and so may `encode`.

    Raises:
        BadInput: `texts` gave another number of documents, or a vector is not finite.
    """
    with turn(folder, partial(progress, 0, number)) as ours:
        if not ours:
            return
        staging = staged(folder)
        _begin(staging, {"format": FORMAT, "width": width, "what": what})
        _encode(staging, texts, number, width, encode, progress)
        records = np.fromfile(staging / _RECORDS, dtype=_RECORD)
        _share(staging / _VECTORS, records)
        digest = hashlib.sha256(np.ascontiguousarray(records[["high", "low"]]).tobytes()).hexdigest()
        made = Manifest(number, width, int(records["cut"].sum()), digest, what)
        (staging / _MANIFEST).write_text(json.dumps({"format": FORMAT, **asdict(made)}), encoding="utf-8")
        synced(staging / _MANIFEST)
        os.replace(staging, folder)
        synced(folder.parent)
        # Only now: without them an interrupted go would begin anew.
        for name in (_RECORDS, _BEGUN):
            (folder / name).unlink()


def opened(folder: Path) -> Kept:
    """Return the vectors in a folder.

    Raises:
        BadInput: a file is missing or damaged; the sentence says what to delete.
    """
    try:
        found = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        vectors = np.load(folder / _VECTORS, mmap_mode="r", allow_pickle=False)
        if found.pop("format") != FORMAT:
            raise ValueError("another format")
        manifest = Manifest(**found)
        if vectors.dtype != _DTYPE or vectors.shape != (manifest.documents, manifest.width):
            raise ValueError(f"{vectors.dtype} {vectors.shape}")
    except (OSError, ValueError, EOFError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"The vectors in {folder.name} cannot be read ({error}); delete the folder: they are made again."
        ) from None
    return Kept(vectors.view(np.ndarray), manifest)


def _begin(staging: Path, what: dict[str, Any]) -> None:
    """Keep what an interrupted go left if it was of the same; delete it otherwise."""
    begun, text = staging / _BEGUN, json.dumps(what, sort_keys=True)
    if begun.exists() and begun.read_text(encoding="utf-8") == text:
        return
    for name in (_VECTORS, _RECORDS, _MANIFEST):
        (staging / name).unlink(missing_ok=True)
    begun.write_text(text, encoding="utf-8")
    synced(begun)


def _encode(staging: Path, texts: Texts, number: int, width: int, encode: Encode, progress: Progress) -> None:
    """Encode what is not encoded yet. A block's records are written when its vectors are on the disk."""
    head = _head((number, width))
    row = width * _DTYPE.itemsize
    with open(staging / _VECTORS, "ab") as vectors, open(staging / _RECORDS, "ab") as records:
        done = records.tell() // _RECORD.itemsize // BLOCK * BLOCK
        vectors.truncate(len(head) + done * row if done else 0)
        records.truncate(done * _RECORD.itemsize)
        if not done:
            vectors.write(head)
        progress(done, number, "encoding, documents")
        for block in _blocks(texts(done) if done < number else ()):
            made, cut = encode(block)
            rounded = _rounded(made, done)
            _put(vectors, rounded.tobytes())
            _put(records, _records(block, cut).tobytes())
            done += len(block)
            progress(done, number, "encoding, documents")
    if done != number:
        shutil.rmtree(staging)
        raise BadInput(
            f"The corpus has {number:,} documents and {done:,} came; load it again, then encode it anew."
        )


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while block := list(islice(rest, BLOCK)):
        yield block


def _head(shape: tuple[int, int]) -> bytes:
    """The first bytes of an npy file of this shape."""
    head = BytesIO()
    descr = np.lib.format.dtype_to_descr(_DTYPE)
    np.lib.format.write_array_header_1_0(head, {"descr": descr, "fortran_order": False, "shape": shape})
    return head.getvalue()


def _rounded(made: Matrix, first: int) -> Stored:
    with np.errstate(over="ignore"):
        rounded = made.astype(_DTYPE)
    fault = np.flatnonzero(~np.isfinite(rounded).all(axis=1))
    if fault.size:
        raise BadInput(
            f"The encoder gave document {first + int(fault[0]) + 1} a vector that float16 cannot hold; "
            "its weights are damaged, or it is not for texts like these."
        )
    return rounded


def _put(file: Any, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _records(block: Sequence[str], cut: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    found = np.zeros(len(block), dtype=_RECORD)
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=16).digest() for text in block)
    halves = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
    found["high"], found["low"], found["cut"] = halves[:, 0], halves[:, 1], cut
    return found


def _share(place: Path, records: npt.NDArray[Any]) -> None:
    """Give documents that read the same the vector of the first of them."""
    order = np.lexsort((records["low"], records["high"]))
    high, low = records["high"][order], records["low"][order]
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    # The sort is stable, so that a group begins with its first document.
    firsts = order[np.maximum.accumulate(np.where(new, np.arange(order.size), 0))]
    again = np.flatnonzero(~new)
    vectors = np.load(place, mmap_mode="r+", allow_pickle=False)
    for start in range(0, again.size, _AT_ONCE):
        part = again[start : start + _AT_ONCE]
        vectors[order[part]] = vectors[firsts[part]]
    vectors.flush()

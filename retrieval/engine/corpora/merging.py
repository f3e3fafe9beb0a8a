"""The second pass of building an index: the counts of all blocks, put in the order of the terms.

The final number of a term is its place in the alphabet of code points. Postings are gathered for some terms
at a time and written one after the other: memory stays bounded, and a full disk raises where a mapping would
end the process.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common.progress import Progress
from retrieval.engine.corpora import blocks
from retrieval.engine.corpora.blocks import Block, Reached

POSTINGS = 2**22
"""Gathered at a time; one term with more is gathered alone."""

Array = npt.NDArray[Any]
Files = dict[str, dict[str, Any]]


def merge(
    places: Sequence[Path], terms: list[str], reached: Reached, folder: Path, progress: Progress
) -> Files:
    """Write the arrays of an index into `folder`, and return the size and sha256 of each file.

    progress: called with postings written and in all.
    """
    order = sorted(range(len(terms)), key=terms.__getitem__)
    rank = np.empty(len(terms), dtype=np.int64)
    rank[order] = np.arange(len(terms))
    found = [blocks.mapped(place) for place in places]
    sizes = np.zeros(len(terms), dtype=np.int64)
    for block in found:
        sizes[rank[block.terms]] += block.sizes
    starts = np.concatenate(([0], np.cumsum(sizes)))
    files: Files = {}
    encoded = [terms[number].encode() for number in order]
    files["terms.bin"] = _written(folder / "terms.bin", iter([b"".join(encoded)]))
    places_of_terms = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    lengths = np.concatenate([blocks.lengths(place) for place in places])
    for name, values in (("term_starts", places_of_terms), ("starts", starts), ("lengths", lengths)):
        files[f"{name}.npy"] = _array(folder / f"{name}.npy", values.dtype, values.size, iter([values]))
    counted = np.dtype(np.min_scalar_type(reached.largest))
    for name, dtype in (("documents", np.dtype(np.int32)), ("counts", counted)):
        parts = _gathered(found, rank, starts, name, dtype, progress)
        files[f"{name}.npy"] = _array(folder / f"{name}.npy", dtype, reached.postings, parts)
    return files


def _gathered(
    found: Sequence[Block], rank: Array, starts: Array, name: str, dtype: np.dtype[Any], progress: Progress
) -> Iterator[Array]:
    """The postings of all blocks, in the final order, some terms at a time."""
    number = int(starts[-1])
    low = 0
    while low < starts.size - 1:
        high = max(low + 1, int(np.searchsorted(starts, starts[low] + POSTINGS, side="right")) - 1)
        heads = starts[low:high] - starts[low]
        part = np.empty(int(starts[high] - starts[low]), dtype=dtype)
        for block in found:
            _take(block, rank, (low, high), heads, getattr(block, name), part)
        yield part
        progress(int(starts[high]), number, f"Writing the index: {name}")
        low = high


def _take(
    block: Block, rank: Array, between: tuple[int, int], heads: Array, values: Array, part: Array
) -> None:
    """Put a block's postings of the terms `between` behind those of the blocks before it; move the heads."""
    low, high = between
    final = rank[block.terms]
    chosen = np.flatnonzero((final >= low) & (final < high))
    sizes = block.sizes[chosen].astype(np.int64)
    behind = np.cumsum(block.sizes, dtype=np.int64)[chosen]
    own = final[chosen] - low
    part[_spread(heads[own], sizes)] = values[_spread(behind - sizes, sizes)]
    heads[own] += sizes


def _spread(starts: Array, sizes: Array) -> Array:
    """The positions start, start + 1, … of every group, one group after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


def _array(path: Path, dtype: np.dtype[Any], size: int, parts: Iterator[Array]) -> dict[str, Any]:
    return _written(path, _npy(dtype, size, parts))


def _npy(dtype: np.dtype[Any], size: int, parts: Iterator[Array]) -> Iterator[bytes]:
    """The bytes of an `.npy` file of one row."""
    head = io.BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (size,)}
    np.lib.format.write_array_header_1_0(head, described)
    yield head.getvalue()
    for part in parts:
        yield np.ascontiguousarray(part, dtype=dtype).tobytes()


def _written(path: Path, parts: Iterator[bytes]) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as file:
        for part in parts:
            size += file.write(part)
            digest.update(part)
    blocks.synced(path)
    return {"bytes": size, "sha256": digest.hexdigest()}

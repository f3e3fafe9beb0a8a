"""Vectors of a book's passages on disk: float16, one file for each book and encoder.

The file's name is a digest of everything the vectors depend on, so a file is right or absent, never stale.
It is written beside its place and moved there whole: two workers that encode the same book both succeed, and
one that is killed leaves nothing that could be read. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Stored = npt.NDArray[np.float16]

Put = Callable[[int, npt.NDArray[np.float32]], None]
"""Called with the first of some rows, and the rows (n, width)."""

FORMAT = "vectors-1"
DTYPE = np.dtype(np.float16)


def path(folder: Path, **what: Any) -> Path:
    """Return the file for vectors of that description."""
    text = json.dumps([FORMAT, what], sort_keys=True)
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.npy"


def get(place: Path, shape: tuple[int, int], make: Callable[[], npt.NDArray[np.float32]]) -> Stored:
    """Return the vectors (n, width) stored at `place`, or make them with `make` and store them.

    A file that is damaged or of another shape is made again. The result is the same either way: float16.
    """
    return fill(place, shape, lambda put: put(0, make()))


def fill(place: Path, shape: tuple[int, int], make: Callable[[Put], None]) -> Stored:
    """Return the same for vectors too large for memory: `make` writes them, some rows at a time.

    It must put each row once.
    """
    kept = _read(place, shape)
    if kept is not None:
        return kept
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".writing-", suffix=".npy", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            head = {"descr": np.lib.format.dtype_to_descr(DTYPE), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, head)
            begin = file.tell()

            def put(first: int, rows: npt.NDArray[np.float32]) -> None:
                # Written, not mapped: on a full disk a mapping ends the process, a write raises.
                file.seek(begin + first * shape[1] * DTYPE.itemsize)
                file.write(np.asarray(rows, dtype=DTYPE).tobytes())

            make(put)
            file.flush()
            os.fsync(file.fileno())
        # Opened before it can be found, and so deleted, by another.
        made = np.load(name, mmap_mode="r", allow_pickle=False)
        os.replace(name, place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return np.asarray(made)


def in_memory(shape: tuple[int, int], make: Callable[[Put], None]) -> Stored:
    """Return the same without storing anything."""
    found = np.empty(shape, dtype=DTYPE)

    def put(first: int, rows: npt.NDArray[np.float32]) -> None:
        found[first : first + len(rows)] = rows

    make(put)
    return found


def readable(place: Path) -> bool:
    """Return whether complete vectors are stored at that place."""
    return _mapped(place) is not None


def _read(place: Path, shape: tuple[int, int]) -> Stored | None:
    found = _mapped(place)
    return found if found is not None and found.shape == shape else None


def _mapped(place: Path) -> Stored | None:
    try:
        found = np.load(place, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found if found.dtype == DTYPE else None

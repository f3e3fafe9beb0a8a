"""Vectors of a book's passages on disk: float16, one file for what was encoded with what.

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

FORMAT = "vectors-1"


def path(folder: Path, **what: Any) -> Path:
    """Where vectors of that description are kept."""
    text = json.dumps([FORMAT, what], sort_keys=True)
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.npy"


def get(place: Path, shape: tuple[int, int], make: Callable[[], npt.NDArray[np.float32]]) -> Stored:
    """The vectors (n, width) kept at `place`, or those `make` gives, from now on kept there.

    A file that is damaged or of another shape is made again. The result is the same either way: float16.
    """
    kept = _read(place, shape)
    if kept is not None:
        return kept
    made = np.asarray(make(), dtype=np.float16)
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".writing-", suffix=".npy", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.save(file, made, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return made


def _read(place: Path, shape: tuple[int, int]) -> Stored | None:
    try:
        found = np.load(place, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return found if found.shape == shape and found.dtype == np.float16 else None

"""Products of queries and documents on a GPU, in float32 with its whole mantissa."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from retrieval.engine.nearest.kept import Matrix, Stored

CARD = "cuda"
"""The name of the device, as torch has it."""


def product(queries: Matrix) -> Callable[[Stored], Matrix]:
    """Return what multiplies vectors (b, width), float16, with these queries (q, width)."""
    there = torch.from_numpy(queries).to(CARD)

    def multiply(block: Stored) -> Matrix:
        on_card = torch.from_numpy(np.ascontiguousarray(block)).to(CARD).float()
        found: Matrix = _whole(there, on_card).cpu().numpy()
        return found

    return multiply


def _whole(queries: Any, block: Any) -> Any:
    """The product without TF32, whose ten bits would break the bound of the error."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        return queries @ block.T
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before

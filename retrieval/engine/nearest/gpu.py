"""Products of queries and documents on a GPU, in float32 with its whole mantissa."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from retrieval.engine.nearest.searching import Matrix, Product, Stored


def product(queries: Matrix) -> Product:
    """Return what multiplies vectors (b, width), float16, with these queries (q, width)."""
    there = torch.from_numpy(queries).cuda()

    def multiply(block: Stored) -> Matrix:
        on_card = torch.from_numpy(np.ascontiguousarray(block)).cuda().float()
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

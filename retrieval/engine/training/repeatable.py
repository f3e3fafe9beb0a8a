"""Make torch work so that a training can be repeated to the bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from retrieval.engine.dense import folder, threads


@contextmanager
def repeatable(start: Path) -> Iterator[None]:
    """Let torch, inside this context, take algorithms that give the same bits each time, and fitting threads.

    On a GPU sums are otherwise added in the order in which they happen to end, and a training that was
    stopped would go on to other weights. Where an operation has no such algorithm, torch warns.
    """
    # Read by the GPU's library when it is first used.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    config = folder.read_json(folder.tower(start, "context") / folder.CONFIG)
    strict = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with threads.fitting(int(config.get("hidden_size", 0))):
            yield
    finally:
        torch.use_deterministic_algorithms(strict, warn_only=warn_only)

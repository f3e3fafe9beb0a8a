"""How many CPU threads a model is run with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

SMALL = 128
"""Up to this width of its vectors a model is multiplied by one thread."""


@contextmanager
def fitting(width: int) -> Iterator[None]:
    """Let torch, inside this context, use one thread for a model with small vectors.

    The matrices of a toy are done before a second thread has woken: several only wait for each other at
    every operation, and where other programs are busy they wait far longer than they work.
    """
    before = torch.get_num_threads()
    if width <= SMALL and before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch.get_num_threads() != before:
            torch.set_num_threads(before)

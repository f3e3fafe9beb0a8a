"""How far the encoders have come: told in texts, and in tokens, which are what time goes by."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class EncodingProgress(NamedTuple):
    """`verb`: Encoding or Comparing; texts and tokens done and in all, without repeated texts and padding."""

    verb: str
    texts: int
    of_texts: int
    tokens: int
    of_tokens: int


Tell = Callable[[EncodingProgress], None]
"""Called after each batch; it may raise to stop the work."""

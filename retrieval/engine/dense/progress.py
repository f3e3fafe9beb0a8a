"""How far the encoders are, in texts and in tokens; the time depends on tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class EncodingProgress(NamedTuple):
    """How far an encoder is; repeated texts and padding are not counted.

    verb: Encoding or Comparing.
    texts, of_texts: texts done and in all.
    tokens, of_tokens: tokens done and in all.
    """

    verb: str
    texts: int
    of_texts: int
    tokens: int
    of_tokens: int


Tell = Callable[[EncodingProgress], None]
"""Called after each batch; it may raise to stop the work."""

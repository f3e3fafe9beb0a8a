"""What a task type says of the words that readers mark beside their answer, because they decided it.

`TaskType` has these; most types have no such words and leave them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Spans = list[list[int]]
"""[first, end) of each stretch, in order, without overlap."""


class Verdicts:
    """An answer without and with the words that decided it.

    The **verdict** is what of an answer is agreed on, compared with gold and decided by adjudicators: all of
    it, unless readers mark the words that decided, which no two readers need to mark alike.
    """

    def verdict(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer without the words that decided it."""
        return answer

    def markable(self, payload: Mapping[str, Any]) -> Sequence[Sequence[int]]:
        """Return [first, end) in code points of each word in which readers mark; empty for none."""
        return ()

    def marked(self, payload: Mapping[str, Any], answer: Mapping[str, Any]) -> Spans:
        """Return what was marked as [first, end) in the words of `markable`."""
        return []

"""Options that change places from reader to reader, and so have two names.

The **canonical** number is the place in the payload: answers, gold and numbers are in these terms. The
**position** is the place where this reader was shown it, from 0. A reader's browser and script know positions
only: the canonical number might tell which option is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class OptionOrder:
    """What a task type overrides whose options change places; the others have nothing to translate."""

    def options(self, payload: Mapping[str, Any]) -> Sequence[Any]:
        """Return what may be shown in varying order, by canonical number; nothing where order has no meaning.

        A type that overrides it lets its studies choose the order.
        """
        return ()

    def as_shown(self, answer: dict[str, Any], order: Sequence[int]) -> dict[str, Any]:
        """Return the answer with positions in `order` instead of canonical numbers."""
        return dict(answer)

    def from_shown(
        self, payload: Mapping[str, Any], data: Mapping[str, Any], order: Sequence[int]
    ) -> Mapping[str, Any]:
        """Return what was sent, with canonical numbers instead of positions in `order`. Raises `Invalid`."""
        return data

    def reordered(
        self, payload: Mapping[str, Any], gold: dict[str, Any] | None, order: Sequence[int]
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the same item with its options in another canonical order: number `order[n]` becomes n."""
        return dict(payload), gold

    def n_options(self, payload: Mapping[str, Any]) -> int:
        """Return how many options may be shown in varying order; 0 where order has no meaning."""
        return len(self.options(payload))

    @property
    def orders_options(self) -> bool:
        """Whether its items have options, whose order a study has to choose."""
        return type(self).options is not OptionOrder.options

    def option_of(self, payload: Mapping[str, Any], answer: dict[str, Any] | None) -> int | None:
        """Return the canonical number of the option that is the answer; None where it is no option."""
        order = range(self.n_options(payload))
        return self.as_shown(answer, order).get("position") if answer and order else None

"""One question that is still to be answered, and what it has met so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from common.chat import Request
from machines.client.body import prompt_tokens
from machines.client.endpoint import Endpoint
from machines.ledger.limits.budgets import Cost


@dataclass(eq=False)
class Wanted:
    """A question on its way.

    key: of the cache.
    request: what is asked.
    places: which of the requests it answers; the same may be asked twice.
    call: its row, None before there is one, or when the row has ended.
    attempt: how often it was sent; being told to come back later is no attempt.
    unknown: how often it broke off after it was sent.
    due: when it may be sent again, on `time.monotonic`.
    """

    key: str
    request: Request
    places: list[int] = field(default_factory=list)
    call: int | None = None
    attempt: int = 1
    unknown: int = 0
    due: float = 0.0
    _cost: Cost | None = None

    def cost(self, endpoint: Endpoint) -> Cost:
        """Return what one call may cost at most."""
        if self._cost is None:
            sent, received = prompt_tokens(self.request), self.request.max_tokens
            self._cost = Cost(endpoint.prices.cost(sent, received), sent + received, 1)
        return self._cost

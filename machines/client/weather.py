"""What may come of a call: a reply, or one of the ways in which there is none, and what each is worth.

Paid or not decides about the budget, and only the endpoint knows it. Where a call broke off after it was
sent, it is *unknown*, and the ledger charges what was reserved.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from common.chat import Reply


class Weather(Enum):
    """How a call ended."""

    FAIR = "fair"
    """A reply that could be read."""
    UNSENT = "unsent"
    """No connection: nothing was sent."""
    BROKEN = "broken"
    """It broke off after it was sent, took too long, or was too large."""
    BUSY = "busy"
    """Too many requests: come back later. That is no attempt."""
    FAILING = "failing"
    """The endpoint says that it fails: 408, 425, 500, 502, 503, 504, 529."""
    REFUSED = "refused"
    """This request is not taken, and will not be: 400, 404, 409, 413, 422."""
    TOO_LONG = "too_long"
    """The request does not fit into the model's context."""
    FORBIDDEN = "forbidden"
    """The key is missing or not accepted: 401, 403."""
    NONSENSE = "nonsense"
    """A redirect, or 200 with something that is no reply."""


class Paid(Enum):
    """Whether a call was paid."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


PAID = {Weather.FAIR: Paid.YES, Weather.BROKEN: Paid.UNKNOWN, Weather.NONSENSE: Paid.UNKNOWN}
"""All others were not paid: by assumption where the endpoint said that it fails."""
AGAIN = frozenset({Weather.UNSENT, Weather.BUSY, Weather.FAILING})
"""What is tried again without having been paid."""
ILL = frozenset({Weather.UNSENT, Weather.BROKEN, Weather.FAILING, Weather.NONSENSE})
"""What says that the endpoint is ill, and counts towards opening its circuit."""
NOT_TAKEN = frozenset({Weather.REFUSED, Weather.TOO_LONG})
"""What will not be taken, however often it is sent."""

LONGEST_PROBLEM = 500
"""Characters of what went wrong that are kept."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call.

    weather: how it ended.
    reply: what came back; None where there is none.
    problem: one sentence without any key, "" where there is a reply.
    status: of HTTP, None where none came.
    retry_after: seconds to wait, as the endpoint said; None where it did not.
    seconds: from sending to the end.
    """

    weather: Weather
    reply: Reply | None = None
    problem: str = ""
    status: int | None = None
    retry_after: float | None = None
    seconds: float = 0.0

    @property
    def paid(self) -> Paid:
        """Whether the call was paid."""
        return PAID.get(self.weather, Paid.NO)

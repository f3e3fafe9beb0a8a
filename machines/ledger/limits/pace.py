"""How fast an endpoint may be asked, by all workers together: GCRA, one number for requests, one for tokens.

GCRA (ITU-T I.371) keeps the moment at which the next request would arrive if all came evenly. One may come
early by as much as the burst allows, here a second's worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MINUTE = 60.0
BURST_SECONDS = 1.0
SLACK = 1e-6


class Pace(NamedTuple):
    """Where an endpoint stands: the theoretical arrival times, in seconds of the database's clock."""

    requests: float
    tokens: float


class Permitted(NamedTuple):
    """How many of some calls may go now, the endpoint's pace then, and how long the next must wait."""

    calls: int
    pace: Pace
    wait: float


def permit(pace: Pace, now: float, tokens: Sequence[int], rpm: int | None, tpm: int | None) -> Permitted:
    """Return how many of these calls may go now. `tokens`: what each may need."""
    requests, spent = max(pace.requests, now), max(pace.tokens, now)
    gap = MINUTE / rpm if rpm else 0.0
    early = max(0.0, BURST_SECONDS - gap)
    for calls, needed in enumerate(tokens):
        wait = max(requests - now - early if rpm else 0.0, spent - now - BURST_SECONDS if tpm else 0.0)
        if wait > SLACK:
            return Permitted(calls, Pace(requests, spent), wait)
        requests += gap
        spent += MINUTE * needed / tpm if tpm else 0.0
    return Permitted(len(tokens), Pace(requests, spent), 0.0)

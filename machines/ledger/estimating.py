"""What asking would cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from common.chat import Request
from machines.client.body import prompt_tokens
from machines.client.endpoint import Endpoint
from machines.endpoints import pinned
from machines.ledger import keys
from machines.models import ANSWERED, Call

AT_ONCE = 500


@dataclass(frozen=True)
class Estimate:
    """What calls may cost at most, at list price.

    calls: how many would be sent.
    prompt_tokens: what they send; estimated high, at two bytes a token.
    completion_tokens: what they may get back, each as many as it allows.
    micro_units: the price of both, in millionths of the currency.
    cached: requests that cost nothing, because the same was answered before or is asked twice here.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    micro_units: int
    cached: int = 0


def estimate(endpoint: Endpoint, requests: Iterable[Request], parser: str = "") -> Estimate:
    """Return what these requests may cost. They are read once, and not kept."""
    endpoint = pinned(endpoint)
    calls = sent = received = price = cached = 0
    seen: set[str] = set()
    rest = iter(requests)
    while chunk := list(islice(rest, AT_ONCE)):
        batch = {keys.key(endpoint, each, parser): each for each in chunk}
        known = seen & batch.keys()
        known |= set(
            Call.objects.filter(key__in=list(batch), state__in=ANSWERED).values_list("key", flat=True)
        )
        seen |= batch.keys()
        new = [each for key, each in batch.items() if key not in known]
        cached += len(chunk) - len(new)
        calls += len(new)
        for request in new:
            tokens = prompt_tokens(request)
            sent, received = sent + tokens, received + request.max_tokens
            price += endpoint.prices.cost(tokens, request.max_tokens)
    return Estimate(calls, sent, received, price, cached)


def estimate_counts(endpoint: Endpoint, calls: int, prompt_tokens: int, completion_tokens: int) -> Estimate:
    """Return what so many calls with so many tokens together cost, such as the mean of some tried before."""
    price = endpoint.prices.cost(prompt_tokens, completion_tokens)
    return Estimate(calls, prompt_tokens, completion_tokens, price)

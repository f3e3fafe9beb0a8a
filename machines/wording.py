"""Models, what they honour and what they cost, as pages and commands write them."""

from __future__ import annotations

from urllib.parse import urlsplit

from machines.client.endpoint import MILLION, Endpoint, Prices
from machines.client.probe import Probe

UNKNOWN = "not known"
SCHEMAS = {"json_schema": "followed", "schema": "followed, with the schema at the top", "": "not followed"}


def place(endpoint: Endpoint) -> str:
    """Return where a model is, without path or key."""
    if endpoint.kind == "chat":
        return f"at {urlsplit(endpoint.url).netloc}"
    return "in a folder of this machine" if endpoint.kind == "checkpoint" else "a script, no model"


def honoured(found: Probe) -> list[tuple[str, str]]:
    """Return what a probe found, each thing with its finding."""
    return [
        ("JSON schema", UNKNOWN if found.schema is None else SCHEMAS[found.schema]),
        ("probabilities", _told(found.logprobs, "told", "not told")),
        ("seed", _told(found.seed, "the same reply twice", "two different replies")),
        ("token counts", _told(found.usage, "told", "not told: calls are charged as reserved")),
        ("model's name", _told(found.echo, "echoed", "not echoed")),
    ]


def money(micro_units: int, currency: str) -> str:
    """Return an amount: two digits after the point, or six where two would hide it."""
    amount = micro_units / MILLION
    digits = 2 if amount >= 1 or micro_units % 10_000 == 0 else 6
    return f"{amount:,.{digits}f} {currency}".rstrip()


def price_list(prices: Prices) -> str:
    """Return what a million tokens cost, sent and received."""
    if not prices.prompt and not prices.completion:
        return "free, as far as the settings say"
    sent, received = (money(each, prices.currency) for each in (prices.prompt, prices.completion))
    return f"{sent} a million tokens sent, {received} received"


def _told(value: bool | None, yes: str, no: str) -> str:
    return UNKNOWN if value is None else yes if value else no

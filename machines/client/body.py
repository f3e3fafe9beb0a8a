"""The body of a request to a chat endpoint, as OpenAI describes it and others follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.chat import Request
from machines.client.endpoint import Abilities, Endpoint

MOST_ALTERNATIVES = 20
"""The most tokens whose probabilities may be asked for."""
BYTES_A_TOKEN = 2
"""Tokens are estimated at half the prompt's UTF-8 bytes: more than any common tokeniser makes of prose."""
BYTES_A_LONG_TOKEN = 8
"""No text has longer tokens on average: what is too long by this measure is too long by any."""
A_MESSAGE = 8
"""Tokens that a chat template puts around each message, at most."""


def body(endpoint: Endpoint, request: Request, abilities: Abilities) -> dict[str, Any]:
    """Return the JSON object that is sent: these fields, and what the settings add. Never `n`."""
    asked: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": each.role, "content": each.content} for each in request.messages],
        "seed": request.seed,
        endpoint.length_field: request.max_tokens,
    }
    if endpoint.temperature:
        asked["temperature"] = request.temperature
    if request.schema is not None and abilities.schema != "":
        asked["response_format"] = response_format(request.schema, abilities.schema or "json_schema")
    if request.choices and abilities.logprobs is not False:
        asked |= {"logprobs": True, "top_logprobs": MOST_ALTERNATIVES}
    return asked | dict(endpoint.extra)


def response_format(schema: Mapping[str, Any], shape: str) -> dict[str, Any]:
    """Return the field that asks for JSON by a schema: OpenAI's shape, or llama.cpp's with it at the top."""
    if shape == "schema":
        return {"type": "json_schema", "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}


def prompt_tokens(request: Request) -> int:
    """Return how many tokens the prompt has at most, estimated from its UTF-8 bytes."""
    size = sum(len(each.content.encode("utf-8")) for each in request.messages)
    return -(-size // BYTES_A_TOKEN) + A_MESSAGE * len(request.messages)


def fewest_tokens(request: Request) -> int:
    """Return how many tokens the prompt has at least, estimated from its UTF-8 bytes."""
    return sum(len(each.content.encode("utf-8")) for each in request.messages) // BYTES_A_LONG_TOKEN

"""What makes two questions the same, so that the second costs nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from common.chat import Request
from machines.client.endpoint import Endpoint


def key(endpoint: Endpoint, request: Request, parser: str) -> str:
    """Return the sha256 of everything that could change the answer, or what is read in it.

    `parser`: the version of what reads the reply.
    """
    return _digest(
        {
            "endpoint": endpoint.name,
            "model": endpoint.model,
            "revision": endpoint.revision,
            "parameters": parameters(endpoint, request),
            "seed": request.seed,
            "replicate": request.replicate,
            "messages": request.messages,
            "schema": request.schema,
            "choices": request.choices,
            "parser": parser,
        }
    )


def prompt_sha256(request: Request) -> str:
    """Return the sha256 of the rendered messages."""
    return _digest([each._asdict() for each in request.messages])


def parameters(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """Return what is sent beside messages, schema and seed."""
    warm = {"temperature": request.temperature} if endpoint.temperature else {}
    return {**warm, "max_tokens": request.max_tokens, **endpoint.extra}


def _digest(value: Any) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

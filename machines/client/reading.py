"""A response of a chat endpoint read: every field may be missing, and none is believed to have its type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from common.chat import Reply, Request
from machines.client import decisions, probabilities
from machines.client.answers import THINK, THOUGHT

MOST_TOKENS = 2**30 - 1
"""Of one call: no model takes as many, and columns hold the sum of two calls."""
MOST_REASONING = 128 * 2**10
"""Bytes of what a model reasoned that are kept: half of what is kept of a reply."""
FINISHES = {"stop", "length", "refusal", "content_filter"}


def reply(data: bytes, request: Request) -> Reply | None:
    """Return what a response with status 200 says; None where it is no reply: no JSON, or without choices."""
    told = json_object(data)
    choice = _first(told.get("choices"))
    if not isinstance(choice.get("message"), dict):
        return None
    message, usage = choice["message"], _object(told.get("usage"))
    refusal, content = message.get("refusal"), _content(message.get("content"))
    text = content or _string(refusal)
    finish = "refusal" if _string(refusal) and not content else _string(choice.get("finish_reason"))
    tokens = _object(choice.get("logprobs")).get("content")
    return Reply(
        text=_reasoned(message) + text,
        finish=finish if finish in FINISHES else "stop",
        probabilities=probabilities.of_choices(text, request.choices, probabilities.alternatives(tokens)),
        model=_string(told.get("model")),
        fingerprint=_string(told.get("system_fingerprint")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        reasoning_tokens=_count(_object(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        cached_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )


def _content(value: Any) -> str:
    """Return the words of a message: its text, or the texts of its parts, joined."""
    if not isinstance(value, list):
        return _string(value)
    parts = [each if isinstance(each, str) else _object(each).get("text") for each in value]
    return "".join(map(_string, parts))


def _reasoned(message: Mapping[str, Any]) -> str:
    """Return what a model reasoned, where the endpoint tells it apart, as others write it before the answer:
    so it is kept with the raw reply, and every parser passes it over.
    """
    told = _string(message.get("reasoning_content")) or _string(message.get("reasoning"))
    if not told.strip():
        return ""
    # Its own end mark would end it early, and all of it must not crowd out the answer.
    whole = told.replace(THOUGHT, "").encode()[:MOST_REASONING].decode("utf-8", "ignore")
    return f"{THINK}{whole}{THOUGHT}\n"


def decision(data: bytes, request: Request) -> Reply | None:
    """Return what a response to a typed decision says; None where it is none."""
    told = json_object(data)
    found, usage = decisions.reply(told.get("answers"), request), _object(told.get("usage"))
    return found and replace(
        found,
        model=_string(told.get("model")),
        prompt_tokens=_count(usage.get("input_tokens")),
        completion_tokens=_count(usage.get("output_tokens")),
    )


def json_object(data: bytes) -> Mapping[str, Any]:
    """Return the JSON object in these bytes; an empty one where there is none."""
    try:
        return _object(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def error_text(data: bytes) -> str:
    """Return what an error's body says, on one line: its message where it is shaped as OpenAI's are."""
    told = json_object(data)
    error = told.get("error", told.get("detail", told.get("message")))
    said = _object(error).get("message") or error or data.decode("utf-8", "replace")
    return " ".join(_string(said if isinstance(said, str) else json.dumps(said)).split())


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Mapping[str, Any]:
    return _object(value[0]) if isinstance(value, list) and value else {}


def _string(value: Any) -> str:
    # A database holds no NUL, and no half of a pair.
    return value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if good else None

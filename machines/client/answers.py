"""The parse ladder: what a model wrote, step by step until JSON is found.

Reasoning that ends with `</think>` and a fence around the answer are taken off, then the first JSON object is
read. What the object means is for the task type to say; there is never a default answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

THINK, THOUGHT = "<think>", "</think>"
FENCE = "```"
VALUE = re.compile(r':\s*"?')
"""What stands before a value."""
DECODER = json.JSONDecoder()
MOST_TRIES = 200
"""Opening braces that are tried: what begins with more of them is no answer."""


def stripped(text: str) -> str:
    """Return a reply without its reasoning and without the fence around the answer."""
    _, closed, after = text.rpartition(THOUGHT)
    text = after if closed else text.partition(THINK)[0]
    text = text.strip()
    head, opened, inside = text.partition(FENCE)
    if opened and "{" not in head:
        first, _, rest = inside.partition("\n")
        text = (rest if first.strip().isalnum() or not first.strip() else inside).partition(FENCE)[0]
    return text.strip()


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a reply, or None where there is none."""
    return _first(stripped(text))[0]


def place_of_choice(text: str, choices: Sequence[str]) -> int | None:
    """Return where in a reply the choice begins that it makes: a value of its JSON object, or all its words.

    None where it makes none.
    """
    bare = stripped(text)
    offset = text.rfind(bare)
    found, at = _first(bare)
    if found is None:
        return offset if bare and bare in choices else None
    for value in found.values():
        written = value if isinstance(value, str) else json.dumps(value)
        if written in choices:
            place = _place_of_value(bare, at, written)
            return None if place is None else offset + place
    return None


def _place_of_value(text: str, start: int, written: str) -> int | None:
    """Return where a value stands after a colon, from `start` on, with or without its quotation mark."""
    for before in VALUE.finditer(text, start):
        if text.startswith(written, before.end()):
            return before.end()
    return None


def _first(text: str) -> tuple[dict[str, Any] | None, int]:
    """Return the first JSON object and where it begins."""
    at = text.find("{")
    for _ in range(MOST_TRIES):
        if at == -1:
            break
        try:
            found, _end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            return found, at
    return None, -1

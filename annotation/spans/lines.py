"""A JSONL file of span items → entries. Every complaint names the file, the line and the field.

The format is described in docs/span-task.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from annotation.models import Kind
from annotation.payloads import Entry
from annotation.spans.tokens import tokenise
from annotation.tasktypes import passage
from annotation.tasktypes.base import Answer, Invalid
from retrieval.engine.errors import BadInput

OF_THE_ITEM = ("text", "sha256", "tokens", "anchor", "language", "references", "lemmata", "citation")
FIELDS = {*OF_THE_ITEM, "id", "gold", "kind"}
LONGEST_ID = 200


def entries(data: bytes, name: str) -> Iterator[Entry]:
    """The items of a file, lazily. Raises `BadInput` at the first line that cannot be one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{name}, line {bad}: is not UTF-8 text. Save the file as UTF-8.") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield entry(line, f"{name}, line {number}")


def entry(line: str, where: str) -> Entry:
    try:
        fields = json.loads(line, object_pairs_hook=once, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: is not JSON ({error}). Each line is one object.") from None
    if not isinstance(fields, dict):
        raise BadInput(f"{where}: must be a JSON object, one item a line.")
    unknown = sorted(set(fields) - FIELDS)
    if unknown:
        raise BadInput(
            f"{where}, field “{unknown[0]}”: there is no such field; use {', '.join(sorted(FIELDS))}."
        )
    try:
        payload = payload_of(fields)
        gold = gold_of(fields.get("gold"), payload)
        provenance = provenance_of(fields.get("id"))
    except Invalid as error:
        raise BadInput(f"{where}, field “{error.field}”: {error}") from None
    kind = fields.get("kind", Kind.WORK)
    if kind not in Kind.values:
        raise BadInput(f"{where}, field “kind”: must be one of {', '.join(Kind.values)}.")
    return Entry(where, payload, gold, provenance, kind)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise ValueError(f"the field “{twice}” stands twice")
    return dict(pairs)


def no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def payload_of(fields: dict[str, Any]) -> dict[str, Any]:
    """The payload, with the tokenisation and the digest made where the file leaves both to us."""
    payload = {name: fields[name] for name in OF_THE_ITEM if fields.get(name) is not None}
    text = payload.get("text")
    passage.check_text(text, "text", passage.LONGEST_TEXT)
    assert isinstance(text, str)  # noqa: S101 - just checked
    if "tokens" in payload and "sha256" not in payload:
        raise Invalid("Offsets need the sha256 of the text to which they belong.", "sha256")
    payload.setdefault("sha256", sha256(text.encode()).hexdigest())
    if "tokens" not in payload:
        payload["tokens"] = tokenise(text)
    if isinstance(payload.get("anchor"), str):
        payload["anchor"] = list(found(payload, payload["anchor"], "anchor"))
    payload.setdefault("anchor", None)
    return payload


def gold_of(gold: Any, payload: dict[str, Any]) -> Answer | None:
    """Gold as a span, as its very words, or as “no_allusion”."""
    if isinstance(gold, str):
        start, end = found(payload, gold, "gold")
        return {"start": start, "end": end}
    if gold is not None and not isinstance(gold, dict):
        raise Invalid(
            "must be {“start”, “end”}, {“declined”: “no_allusion”}, the words themselves, or null.", "gold"
        )
    return gold


def found(payload: dict[str, Any], words: str, field: str) -> tuple[int, int]:
    """The one place at which whole tokens read so."""
    passage.check_tokens(payload["text"], payload["tokens"])
    text, tokens = payload["text"], payload["tokens"]
    ends: Sequence[int] = [end for _, end in tokens]
    places = [
        (n, ends.index(first + len(words)) + 1)
        for n, (first, _) in enumerate(tokens)
        if text.startswith(words, first) and first + len(words) in ends
    ]
    if not words or len(places) != 1:
        times = "nowhere" if not places else f"{len(places)} times"
        raise Invalid(
            f"{words!r} stands {times} in the text as whole words: give [first, end) in tokens.", field
        )
    return places[0]


def provenance_of(name: Any) -> dict[str, Any]:
    if name is None:
        return {}
    passage.check_text(name, "id", LONGEST_ID)
    return {"id": name}

"""A line of a file of span items → payload and gold. The format is described in docs/span-task.md.

A line may leave to us what follows from its text, and give words where the payload has offsets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from annotation.tasktypes import passage
from annotation.tasktypes.base import Answer, Invalid, Payload
from annotation.tasktypes.items import BESIDE
from annotation.tasktypes.tokens import tokenise

OF_THE_ITEM = ("text", "sha256", "tokens", "anchor", "language", "references", "lemmata", "citation")
FIELDS = {*OF_THE_ITEM, "gold", *BESIDE}


def check_fields(fields: Mapping[str, Any]) -> None:
    """Raise `Invalid` for a field that no such line has."""
    unknown = sorted(set(fields) - FIELDS)
    if unknown:
        raise Invalid(f"there is no such field; use {', '.join(sorted(FIELDS))}.", unknown[0])


def payload_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of a line; tokens and digest are made where the file has neither."""
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
    """Return gold as an answer; a line gives a span, its very words, or “no_allusion”."""
    if isinstance(gold, str):
        start, end = found(payload, gold, "gold")
        return {"start": start, "end": end}
    if gold is not None and not isinstance(gold, dict):
        raise Invalid(
            "must be {“start”, “end”}, {“declined”: “no_allusion”}, the words themselves, or null.", "gold"
        )
    return gold


def found(payload: Payload, words: str, field: str) -> tuple[int, int]:
    """Return the one run of whole tokens, [start, end), that reads like these words. Raises `Invalid`."""
    passage.check_tokens(payload["text"], payload["tokens"])
    places = places_of(payload, words)
    if len(places) != 1:
        times = in_times(places)
        raise Invalid(
            f"{words!r} stands {times} in the text as whole words: give [first, end) in tokens.", field
        )
    return places[0]


def in_tokens(payload: Payload, said: Any) -> Any:
    """Return a span that names characters, `start_character` and `end_character` as exports have them, as one
    of tokens; anything else as it is. Raises `Invalid` where it begins or ends within a word, or where the
    line names something else beside it.
    """
    if not isinstance(said, Mapping) or not {"start_character", "end_character"} & set(said):
        return said
    others = (name for name in ("start", "end", "first", "last", "declined") if said.get(name) is not None)
    if other := next(others, None):
        raise Invalid("stands beside a span in characters: send one of the two.", other)
    starts, ends = zip(*payload["tokens"], strict=True)
    span = {}
    for name, borders, known, add in (("start", "begins", starts, 0), ("end", "ends", ends, 1)):
        at = said.get(f"{name}_character")
        if not passage.is_count(at) or at not in known:
            raise Invalid(f"no word of the passage {borders} at character {at!r:.20}.", f"{name}_character")
        span[name] = known.index(at) + add
    return span


def quoted(payload: Payload, words: str) -> tuple[int, int]:
    """Return where the words stand that a model quotes, as `found` does; its sentence is for the model."""
    places = places_of(payload, words.strip())
    if len(places) != 1:
        more = "quote more words around them" if places else "quote them to the letter, and words as a whole"
        raise Invalid(f"The words {words[:200]!r} stand {in_times(places)} in the text: {more}.", "words")
    return places[0]


def places_of(payload: Payload, words: str) -> list[tuple[int, int]]:
    """Return every run of whole tokens, [start, end), that reads like these words."""
    text, tokens = payload["text"], payload["tokens"]
    ends: Sequence[int] = [end for _, end in tokens]
    return [
        (n, ends.index(first + len(words)) + 1)
        for n, (first, _) in enumerate(tokens)
        if words and text.startswith(words, first) and first + len(words) in ends
    ]


def in_times(places: Sequence[object]) -> str:
    return f"{len(places)} times" if places else "nowhere"

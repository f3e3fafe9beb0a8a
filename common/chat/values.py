"""What is asked of a language model, and what it replies: values for everything above the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

SYSTEM: Literal["system"] = "system"
USER: Literal["user"] = "user"


class Message(NamedTuple):
    """One message of a conversation.

    role: who speaks, "system" or "user".
    content: the words. Passages stand in it as JSON strings, so that nothing in them ends the quotation.
    """

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True)
class Request:
    """One question to a model.

    messages: what is said to it, in order.
    schema: the JSON schema of the answer, or None where free text is wanted.
    choices: the answers there are, as the text the model would write; their probabilities are kept where the
        endpoint offers them. Empty where answers are not chosen from a list.
    max_tokens: the longest reply, in tokens.
    temperature: 0 asks for the likeliest words. It is no promise that two replies are equal.
    seed: sent with the request.
    replicate: 0 for the first time a thing is asked; another number makes it another question to the cache.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    replicate: int = 0


@dataclass(frozen=True)
class Reply:
    """What came back for a request.

    text: what the model wrote, as it wrote it.
    finish: how it ended: "stop", "length" (cut at `max_tokens`), "refusal" or "content_filter".
    probabilities: of each of the request's `choices` that it told, in 0-1; empty where it told none.
    model, fingerprint: as the endpoint echoed them, "" where it did not.
    prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens: what it counted, None where it did not.
    call: the row of the ledger that holds it, None outside of one.
    """

    text: str
    finish: str = "stop"
    probabilities: Mapping[str, float] = field(default_factory=dict)
    model: str = ""
    fingerprint: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    call: int | None = None


Ask = Callable[[Sequence[Request]], Sequence[Reply | None]]
"""Ask many things at once: replies in the order of the requests, None where the endpoint refused one of them
(too long, not allowed). Whoever asks decides nothing about speed, price or repeats: the ledger does. Raises
where nothing more can be asked."""

"""How a model is asked about an item, and how its reply becomes an answer.

A type that says these can be read by machine readers; one that does not is read by people alone. A reply is
one JSON object; whatever is in it goes through the type's own `parse`, so that nothing is an answer of a
model that would be none of a reader. Whether it may say that it cannot decide is not the type's matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class AskedOfModels:
    """What a task type says of a model's question and reply; `TaskType` has these.

    reply_tokens: a length that an answer fits in, in tokens, for models that do not think aloud.
    """

    reply_tokens: ClassVar[int] = 60

    def instruction(self, payload: Mapping[str, Any]) -> str:
        """Return in sentences what is to be done, with all that is the same on the items of a study, such as
        a scale; empty, as it is by default, where models cannot be asked.
        """
        return ""

    def material(self, payload: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
        """Return what a reader sees of the item, by name, as JSON: what repeats from item to item first.

        `order` lists canonical numbers of options as this reader is shown them; names count them from 1.
        """
        raise NotImplementedError

    def reply_schema(self, payload: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the JSON schema of each part of a reply, by name."""
        raise NotImplementedError

    def from_reply(
        self, payload: Mapping[str, Any], reply: Mapping[str, Any], order: Sequence[int]
    ) -> dict[str, Any]:
        """Return the answer that a reply means. Raises `Invalid`, whose sentence the model is told."""
        raise NotImplementedError

    def as_reply(
        self, payload: Mapping[str, Any], answer: Mapping[str, Any], order: Sequence[int]
    ) -> dict[str, Any]:
        """Return the reply that means an answer; `from_reply` is the way back."""
        return dict(answer)

    def choices(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the answers there are, as a model writes them, where it chooses from a short list: endpoints
        may tell the probability of each.
        """
        return ()

    def number_of_choice(self, choice: str, order: Sequence[int]) -> int:
        """Return the first of `answer_numbers` that one of these choices means, options in `order`."""
        return int(choice)

    def with_text_of(
        self, payload: Mapping[str, Any], other: Mapping[str, Any], words: str | None
    ) -> dict[str, Any]:
        """Return the item with the text of another, and behind it these words; None: those of its query.

        What such a text is given shows how easily a model is fooled: by words of the query, by an
        instruction. Only a type with a query says it.
        """
        raise NotImplementedError

    @property
    def has_canaries(self) -> bool:
        """Whether its items can be given the text of another."""
        return type(self).with_text_of is not AskedOfModels.with_text_of

    @property
    def can_be_asked(self) -> bool:
        """Whether models can be asked about its items."""
        return type(self).instruction is not AskedOfModels.instruction


def one_of(values: Sequence[Any]) -> dict[str, Any]:
    """Return the schema of a value that is one of these, all texts or all whole numbers."""
    kind = "string" if isinstance(values[0], str) else "integer"
    return {"type": kind, "enum": list(values)}


def or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the same value, or of none."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    found = {**schema, "type": list(dict.fromkeys([*kinds, "null"]))}
    return found | ({"enum": list(dict.fromkeys([*schema["enum"], None]))} if "enum" in schema else {})

"""What an endpoint honours, found by asking it: one may drop a field that it cannot honour and answer 200."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from common.chat import USER, Ask, Message, Reply, Request
from machines.client.answers import first_object, stripped
from machines.client.endpoint import Abilities

WORDS = 12
"""Letters of the word that only the schema tells."""
FOR_JSON = "Answer with one JSON object that has the field word. Write nothing else."
FOR_A_SEED = "Write ten words, each as far from the last in meaning as you can think of."
FOR_LOGPROBS = "Name any colour, in one word."
OTHER = "–"
"""A choice that no reply is: choices are two at least."""
SHAPES: tuple[Literal["json_schema", "schema"], ...] = ("json_schema", "schema")


@dataclass(frozen=True)
class Probe:
    """What is known to be honoured. None: it could not be tried.

    reached: whether it answered at all.
    schema: the shape in which it follows a JSON schema, "" where it follows none.
    logprobs: whether it tells probabilities.
    seed: whether two replies to one seed at temperature 1 were equal.
    usage: whether it counts tokens.
    echo: whether it says which model answered.
    problem: why something could not be tried, "" where all was.
    """

    reached: bool = False
    schema: Literal["", "json_schema", "schema"] | None = None
    logprobs: bool | None = None
    seed: bool | None = None
    usage: bool | None = None
    echo: bool | None = None
    problem: str = ""

    @property
    def abilities(self) -> Abilities:
        """What is sent from now on: a field that is not honoured is left out."""
        return Abilities(schema=self.schema, logprobs=self.logprobs)

    def as_json(self) -> dict[str, Any]:
        """Return it as a row keeps it."""
        return asdict(self)


def from_json(told: dict[str, Any]) -> Probe:
    """Return what a row keeps; what it does not say is unknown."""
    known = {name: value for name, value in told.items() if name in Probe.__dataclass_fields__}
    return Probe(**known)


def probe(asking: Callable[[Abilities], Ask], chance: random.Random) -> Probe:
    """Ask a handful of small questions, at most seven, and return what came of them.

    `asking`: gives an `Ask` that sends by these abilities. It may raise where the endpoint cannot be asked.
    """
    found, replies = _schema(asking, chance)
    if not replies:
        return found
    plain = asking(Abilities(schema="", logprobs=False))
    once, twice = _twice(plain, FOR_A_SEED, chance, temperature=1.0, max_tokens=24)
    if once is not None and twice is not None:
        found = replace(found, seed=once.text == twice.text)
    told, replied = _logprobs(asking, plain, chance)
    replies += [each for each in (once, twice, replied) if each is not None]
    return replace(
        found,
        reached=True,
        logprobs=told,
        usage=any(each.prompt_tokens is not None for each in replies),
        echo=any(each.model for each in replies),
    )


def _schema(asking: Callable[[Abilities], Ask], chance: random.Random) -> tuple[Probe, list[Reply]]:
    """Ask for a word that only the schema tells, in both shapes."""
    replies: list[Reply] = []
    for shape in SHAPES:
        word = "".join(chance.choices(string.ascii_lowercase, k=WORDS))
        field = {"word": {"type": "string", "enum": [word]}}
        schema = {
            "type": "object", "properties": field, "required": ["word"], "additionalProperties": False,
        }  # fmt: skip
        asked = _request(FOR_JSON, chance, schema=schema, max_tokens=512)
        (reply,) = asking(Abilities(schema=shape, logprobs=False))([asked])
        if reply is None:
            continue
        replies.append(reply)
        if (first_object(reply.text) or {}).get("word") == word:
            return Probe(reached=True, schema=shape), replies
    if replies:
        return Probe(reached=True, schema=""), replies
    # Both were refused: perhaps for the field.
    (reply,) = asking(Abilities(schema="", logprobs=False))([_request(FOR_LOGPROBS, chance, max_tokens=8)])
    problem = "" if reply else "It took none of the requests."
    return Probe(reached=bool(reply), schema="" if reply else None, problem=problem), [reply] if reply else []


def _logprobs(
    asking: Callable[[Abilities], Ask], plain: Ask, chance: random.Random
) -> tuple[bool | None, Reply | None]:
    """Ask twice for the same word, the second time for its probability.

    None where the replies differ, so that it cannot be told.
    """
    asked = _request(FOR_LOGPROBS, chance, max_tokens=1)
    (first,) = plain([asked])
    word = "" if first is None else stripped(first.text)
    if not word:
        return None, first
    again = replace(asked, choices=(word, OTHER), replicate=asked.replicate + 1)
    (second,) = asking(Abilities(schema="", logprobs=True))([again])
    if second is None:
        return False, first
    if second.probabilities:
        return True, second
    return (False if stripped(second.text) == word else None), second


def _twice(ask: Ask, text: str, chance: random.Random, **more: Any) -> Sequence[Reply | None]:
    """Ask the same with the same seed, one after the other: a seed may be the whole server's."""
    one = _request(text, chance, **more)
    return [*ask([one]), *ask([replace(one, replicate=one.replicate + 1)])]


def _request(text: str, chance: random.Random, **more: Any) -> Request:
    """Return a question that no cache knows."""
    return Request((Message(USER, text),), seed=7, replicate=chance.randrange(2**30), **more)

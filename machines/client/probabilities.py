"""Probabilities of the choices of a request, from the probabilities of tokens that an endpoint tells.

The answer stands somewhere in the reply, perhaps inside JSON. The first token in which the choices differ
tells how likely each was: of its alternatives, each is counted for the one choice it can be the beginning of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from machines.client import answers


class Token(NamedTuple):
    """One token of a reply.

    text: its characters.
    start: where it begins in the reply.
    likely: the probability, 0-1, of each token that might have stood here.
    """

    text: str
    start: int
    likely: Mapping[str, float]


def alternatives(content: Any) -> list[Token]:
    """Return the tokens of `logprobs.content`; none where one of them is not as it should be."""
    found: list[Token] = []
    at = 0
    for each in content if isinstance(content, list) else []:
        text = each.get("token") if isinstance(each, dict) else None
        if not isinstance(text, str):
            return []
        told = each.get("top_logprobs")
        found.append(Token(text, at, _likely([*(told if isinstance(told, list) else []), each])))
        at += len(text)
    return found


def of_choices(text: str, choices: Sequence[str], tokens: Sequence[Token]) -> dict[str, float]:
    """Return the probability of each choice that the tokens tell, 0-1; empty where they do not tell it.

    `text`: the reply. They need not add up to 1: what is left went to words that are no choice.
    """
    place = answers.place_of_choice(text, choices)
    if place is None or "".join(token.text for token in tokens) != text:
        return {}
    for token in tokens:
        end = token.start + len(token.text)
        if end <= place:
            continue
        before, said = token.text[: max(0, place - token.start)], text[place : max(place, token.start)]
        left = {choice: choice.removeprefix(said) for choice in choices if choice.startswith(said)}
        found = _shared_out(left, before, token.likely)
        if found is not None:
            return found
    return {}


def _shared_out(left: Mapping[str, str], before: str, likely: Mapping[str, float]) -> dict[str, float] | None:
    """Return the probability of each choice at one token; None where the token tells none apart.

    `left`: of each choice, what is still to be said. `before`: how the token begins before the answer does.
    """
    found: dict[str, float] = {}
    for token, probability in likely.items():
        if not token.startswith(before):
            continue
        part = token.removeprefix(before)
        exact = [choice for choice, rest in left.items() if rest and part.startswith(rest)]
        begun = [choice for choice, rest in left.items() if part and rest.startswith(part)]
        # "10" goes to 10 and not to 1; "1" to 1, and 10 is told by a token of its own, or not at all.
        fits = [max(exact, key=len)] if exact else begun
        if len(fits) == 1:
            found[fits[0]] = found.get(fits[0], 0.0) + probability
    return found or None


def _likely(told: Sequence[Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in told:
        token, logprob = _object(each).get("token"), _object(each).get("logprob")
        if isinstance(token, str) and isinstance(logprob, int | float) and not math.isnan(logprob):
            found[token] = math.exp(min(0.0, logprob))
    return found


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

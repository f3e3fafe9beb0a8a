"""Probabilities of the choices of a request, from the probabilities of tokens that an endpoint tells.

The answer stands somewhere in the reply, perhaps inside JSON. Of the alternatives of its first token, each
is counted for the one choice it can be the beginning of; where the token that was written can be the
beginning of several, the next token tells those apart, and probabilities are multiplied.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from machines.client import answers

LONGEST = 2**18
"""Characters of a reply in which a choice is looked for."""
LEAST = -1e6
"""The least logarithm of a probability: JSON has whole numbers that no float holds."""


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
    place = answers.place_of_choice(text, choices) if len(text) <= LONGEST else None
    if place is None or "".join(token.text for token in tokens) != text:
        return {}
    found: dict[str, float] = {}
    so_far = 1.0
    for token in tokens:
        if token.start + len(token.text) <= place:
            continue
        before, said = token.text[: max(0, place - token.start)], text[place : max(place, token.start)]
        left = {choice: choice.removeprefix(said) for choice in choices if choice.startswith(said)}
        for other, probability in token.likely.items():
            fits = _fitting(left, other.removeprefix(before)) if other.startswith(before) else []
            if len(fits) == 1:
                found[fits[0]] = min(1.0, found.get(fits[0], 0.0) + so_far * probability)
        if len(_fitting(left, token.text.removeprefix(before))) < 2:
            break
        so_far *= token.likely.get(token.text, 0.0)
    return found


def _fitting(left: Mapping[str, str], part: str) -> list[str]:
    """Return the choices that a token may be the beginning of. `left`: of each, what is still to be said."""
    exact = [choice for choice, rest in left.items() if rest and part.startswith(rest)]
    # "10" goes to 10 and not to 1; "1" to 1, and 10 is told by a token of its own, or not at all.
    if exact:
        return [max(exact, key=len)]
    return [choice for choice, rest in left.items() if part and rest.startswith(part)]


def _likely(told: Sequence[Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in told:
        token, logprob = _object(each).get("token"), _object(each).get("logprob")
        if isinstance(token, str) and isinstance(logprob, int | float) and logprob == logprob:  # no nan
            found[token] = math.exp(max(LEAST, min(0.0, logprob)))
    return found


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

"""Typed decisions: a model says how likely each choice is, and writes nothing.

`transformers serve` answers them at `/v1/systemone`, and its `DecisionPipeline` gives the same without a
server. The reply is made to look like one that was written, so that one parser reads both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from common.chat import SYSTEM, Message, Reply, Request

QUESTION = "answer"
MOST_CHOICES = 26


def fits(request: Request) -> bool:
    """Return whether a request can be asked as a decision: it has 2 to 26 choices, all different."""
    return 2 <= len(set(request.choices)) == len(request.choices) <= MOST_CHOICES


def body(request: Request) -> dict[str, Any]:
    """Return a request as state and question: what the system says is the instruction, the rest the state."""
    told = _joined([each for each in request.messages if each.role == SYSTEM])
    state = _joined([each for each in request.messages if each.role != SYSTEM])
    question = {
        "type": "choice",
        "instructions": told or "Answer with one of the choices.",
        "criteria": dict.fromkeys(request.choices),
    }
    return {"state": state, "questions": {QUESTION: question}}


def reply(answers: Any, request: Request) -> Reply | None:
    """Return what the answers say; None where they do not say it.

    `answers`: of each question by name, with `probabilities` by choice.
    """
    answer = answers.get(QUESTION) if isinstance(answers, Mapping) else None
    told = answer.get("probabilities") if isinstance(answer, Mapping) else None
    if not isinstance(told, Mapping):
        return None
    likely = {choice: told[choice] for choice in request.choices if _is_probability(told.get(choice))}
    if not likely:
        return None
    best = max(likely, key=lambda choice: likely[choice])
    return Reply(text=written(best, request), probabilities=likely)


def written(choice: str, request: Request) -> str:
    """Return a choice as the model would write it: by the request's schema, where that asks for one value."""
    properties = (request.schema or {}).get("properties")
    if not isinstance(properties, Mapping) or len(properties) != 1:
        return choice
    ((name, told),) = properties.items()
    values = told.get("enum", []) if isinstance(told, Mapping) else []
    same = [each for each in values if (each if isinstance(each, str) else json.dumps(each)) == choice]
    return json.dumps({name: same[0] if same else choice}, ensure_ascii=False)


def _joined(messages: Sequence[Message]) -> str:
    return "\n\n".join(each.content for each in messages)


def _is_probability(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1

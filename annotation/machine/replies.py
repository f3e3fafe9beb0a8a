"""The parse ladder: from a reply to an answer, or to the reason why there is none. Never a default answer.

A JSON object is looked for, the task type reads it with its own `parse`, and refuses what is no answer in the
sentence that a reader would see. With that sentence the model is asked once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation.machine.prompts import UNDECIDED
from annotation.models import ReadingState
from annotation.tasktypes.base import Answer, Invalid, Payload, TaskType
from common.chat import Reply
from machines.client.answers import first_object

PARSER = "1"
"""The version of this ladder: part of what makes two requests the same to the ledger."""
LONGEST_REASON, LONGEST_TEXT = 500, 256 * 2**10
DECLINED = {"refusal": "The model declined to answer.", "content_filter": "A filter withheld the reply."}
AGAIN = "Your reply could not be read as an answer: {why} Reply once more, with the JSON object alone."


class Parsed(NamedTuple):
    """What a reply means.

    state: of `ReadingState`.
    answer: None unless answered.
    reason: why there is none.
    """

    state: ReadingState
    answer: Answer | None = None
    reason: str = ""


def parsed(task: TaskType, payload: Payload, order: Sequence[int], reply: Reply) -> Parsed:
    """Return what a reply means."""
    if reply.finish in DECLINED:
        return Parsed(ReadingState.REFUSED, reason=DECLINED[reply.finish])
    found = first_object(reply.text)
    if found is None:
        cut = reply.finish == "length"
        why = "It was cut before the answer was complete." if cut else "There is no JSON object in it."
        return Parsed(ReadingState.UNREADABLE, reason=why)
    said = {name: value for name, value in found.items() if name != UNDECIDED}
    try:
        if reason := undecided(found.get(UNDECIDED), said):
            return Parsed(ReadingState.UNDECIDED, reason=storable(reason)[:LONGEST_REASON])
        return Parsed(ReadingState.ANSWERED, task.from_reply(payload, said, order))
    except Invalid as error:
        return Parsed(ReadingState.UNREADABLE, reason=storable(str(error))[:LONGEST_REASON])


def undecided(said: Any, answer: Mapping[str, Any]) -> str:
    """Return why no answer was given; empty where one was. Raises `Invalid` where both are there."""
    if not said:
        return ""
    if not isinstance(said, str):
        raise Invalid(f"“{UNDECIDED}” must be why you cannot decide, in words, or null.")
    if any(each not in (None, "", False, []) for each in answer.values()):
        raise Invalid("It gives an answer, and says why there is none: give one of the two.")
    return " ".join(said.split())


def probabilities(task: TaskType, order: Sequence[int], reply: Reply) -> dict[str, float]:
    """Return the probability of each number that an answer may have, as far as the endpoint told them."""
    found: dict[str, float] = {}
    for choice, share in reply.probabilities.items():
        number = str(task.number_of_choice(choice, order))
        found[number] = found.get(number, 0.0) + share
    return found


def storable(text: str) -> str:
    """Return a text as every database keeps it: without NUL and halves of characters, at most 256 KiB."""
    whole = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    return whole[:LONGEST_TEXT].decode("utf-8", "ignore")

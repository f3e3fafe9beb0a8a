"""Asking until it can be read, twice at most: a second time with what was wrong, then never again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from common.chat import USER, Ask, Message, Reply, Request
from machines.client.answers import first_object

Answer = TypeVar("Answer")
Parse = Callable[[Mapping[str, Any]], Answer]
"""Makes an answer of a JSON object. Raises ValueError, whose sentence the model is told, where it is none."""

NO_JSON = "There is no JSON object in it."
ASK_AGAIN = "Your last answer could not be used: {why} Give the answer again, as JSON and nothing else."


@dataclass(frozen=True)
class Read(Generic[Answer]):
    """What became of a request.

    answer: what was made of the reply; None where nothing could be, and there is never another one instead.
    reply: the last that came; None where none did.
    problem: why there is no answer: what could not be read, or how the reply ended ("length", "refusal",
        "content_filter"); "" where there is one, and where no reply came: whoever asked knows why.
    asked: how often it was asked, 1 or 2.
    """

    answer: Answer | None
    reply: Reply | None
    problem: str
    asked: int


def ask_and_read(
    ask: Ask, requests: Sequence[Request], parse: Parse[Answer], unreadable: Callable[[int, str], None]
) -> list[Read[Answer]]:
    """Ask, read what comes, and ask once more, with what was wrong, where it could not be read.

    A reply that was cut, refused or filtered is not asked again: the second would end as the first did.
    `unreadable` is told the call and the reason of each reply that could not be read.
    """
    first = _read(ask, requests, parse, unreadable, 1)
    again = [place for place, each in enumerate(first) if _wants_another(each)]
    told = [_with_reason(requests[place], first[place].problem) for place in again]
    for place, each in zip(again, _read(ask, told, parse, unreadable, 2) if told else [], strict=True):
        first[place] = each
    return first


def _read(
    ask: Ask,
    requests: Sequence[Request],
    parse: Parse[Answer],
    unreadable: Callable[[int, str], None],
    asked: int,
) -> list[Read[Answer]]:
    found: list[Read[Answer]] = []
    for reply in ask(requests) if requests else []:
        answer, problem = _answer(reply, parse)
        if problem and reply is not None and reply.call is not None:
            unreadable(reply.call, problem)
        found.append(Read(answer, reply, problem, asked))
    return found


def _answer(reply: Reply | None, parse: Parse[Answer]) -> tuple[Answer | None, str]:
    if reply is None:
        return None, ""
    told = first_object(reply.text)
    if told is None:
        return None, NO_JSON if reply.finish == "stop" else reply.finish
    try:
        return parse(told), ""
    except ValueError as error:
        return None, " ".join(str(error).split()) or NO_JSON


def _wants_another(read: Read[Any]) -> bool:
    return bool(read.problem) and read.reply is not None and read.reply.finish == "stop"


def _with_reason(request: Request, why: str) -> Request:
    again = Message(USER, ASK_AGAIN.format(why=why))
    return replace(request, messages=(*request.messages, again))

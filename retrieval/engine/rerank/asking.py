"""Ask, read, and ask once more where a reply could not be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from common.chat import USER, Ask, Message, Request

Value = TypeVar("Value")


@dataclass
class Tally:
    """What a re-ranking asked, and what it could not read.

    calls: requests that were made, the second ones included.
    again: requests that were made a second time, because the first reply could not be read.
    unreadable: replies that could not be read the second time either.
    refused: requests that the endpoint did not take, such as one too long for it.
    """

    calls: int = 0
    again: int = 0
    unreadable: int = 0
    refused: int = 0


class Answer(NamedTuple, Generic[Value]):
    """What came of a request.

    value: what was read; None where nothing could be.
    refused: whether the endpoint did not take the request.
    call: the row of the ledger that holds the reply, where there is one.
    """

    value: Value | None = None
    refused: bool = False
    call: int | None = None


def read_all(
    ask: Ask,
    requests: Sequence[Request],
    read: Callable[[int, str], Value | None],
    complaint: str,
    tally: Tally,
) -> list[Answer[Value]]:
    """Ask all these requests and read their replies; what cannot be read is asked once more.

    Args:
        ask: Answers requests.
        requests: What is asked.
        read: Called with the position of a request and what was replied; None: it cannot be read.
        complaint: The sentence that is added the second time.
        tally: Where calls are counted.
    """
    if not requests:
        return []
    tally.calls += len(requests)
    found: list[Answer[Value]] = []
    unread = []
    for at, reply in enumerate(ask(requests)):
        found.append(Answer(refused=True) if reply is None else Answer(read(at, reply.text), call=reply.call))
        if reply is None:
            tally.refused += 1
        elif found[at].value is None:
            unread.append(at)
    if unread:
        second = [_again(requests[at], complaint) for at in unread]
        tally.calls += len(second)
        tally.again += len(second)
        for at, reply in zip(unread, ask(second), strict=True):
            found[at] = Answer() if reply is None else Answer(read(at, reply.text), call=reply.call)
            tally.unreadable += found[at].value is None
    return found


def _again(request: Request, complaint: str) -> Request:
    return replace(request, messages=(*request.messages, Message(USER, complaint)))

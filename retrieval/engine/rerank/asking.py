"""What a re-ranking or a writer of questions asks, with what is counted of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from common.chat import Ask, Reply, Request
from common.chat.asking import note_unreadable, twice

Value = TypeVar("Value")
UNREADABLE = "What was asked for could not be read from the reply."


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

    def said(at: int, _: int, reply: Reply | None) -> Answer[Value]:
        if reply is None:
            return Answer(refused=True)
        found = read(at, reply.text)
        if found is None:
            note_unreadable(ask, reply, UNREADABLE)
        return Answer(found, call=reply.call)

    if not requests:
        return []
    tries = twice(
        lambda sent: dict(enumerate(ask(sent))),
        requests,
        said,
        lambda answer: complaint if answer.value is None else "",
    )
    each = [tries[at] for at in range(len(requests))]
    seconds = [one[1].read for one in each if len(one) > 1]
    tally.calls += len(requests) + len(seconds)
    tally.again += len(seconds)
    tally.refused += sum(one[0].read.refused for one in each)
    tally.unreadable += sum(one.value is None for one in seconds)
    return [one[-1].read if len(one) == 1 else one[-1].read._replace(refused=False) for one in each]

"""Ask many things, read the replies, and ask once more what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from common.chat.values import USER, Ask, Message, Reply, Request

Read = TypeVar("Read")
Send = Callable[[Sequence[Request]], Mapping[int, Reply | None]]
"""Asks, and returns the replies by place: None where one was not taken, no place where none was asked for."""


class Try(NamedTuple, Generic[Read]):
    """One request and what came of it.

    reply: None where the endpoint did not take it.
    read: what the reply, or its lack, means.
    """

    reply: Reply | None
    read: Read


def twice(
    send: Send,
    requests: Sequence[Request],
    read: Callable[[int, int, Reply | None], Read],
    complaint: Callable[[Read], str],
) -> dict[int, list[Try[Read]]]:
    """Return one or two tries by place. A place whose second try was never asked is missing, as one whose
    first was not: asked again, the first is in the ledger.

    Args:
        send: Asks.
        requests: What is asked.
        read: Called with the place of a request, its place in the last `send`, and the reply.
        complaint: The sentence with which a thing is asked again; "" where it was read.
    """
    found = {at: [Try(reply, read(at, at, reply))] for at, reply in send(requests).items()}
    why = {
        at: said for at, (one,) in found.items() if one.reply is not None and (said := complaint(one.read))
    }
    got = send([again(requests[at], said) for at, said in why.items()]) if why else {}
    for place, at in enumerate(why):
        if place in got:
            found[at].append(Try(got[place], read(at, place, got[place])))
        else:
            del found[at]
    return found


def again(request: Request, complaint: str) -> Request:
    """Return a request with the sentence that says what was wrong with the reply."""
    return replace(request, messages=(*request.messages, Message(USER, complaint)))


def note_unreadable(ask: Ask, reply: Reply | None, why: str) -> None:
    """Tell whoever asks, where a ledger is kept, that no answer could be made of a reply."""
    noted = getattr(ask, "unreadable", None)
    if noted and reply is not None and reply.call is not None:
        noted(reply.call, why)

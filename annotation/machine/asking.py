"""From wanted readings to readings: requests are asked together, and replies read, asked again, and kept.

Whoever asks keeps the ledger (`machines.ledger.Asking`); here only the words are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from annotation.machine import prompts, replies
from annotation.machine.instructions import instructions_in
from annotation.machine.plan import Wanted
from annotation.machine.replies import Parsed
from annotation.models import Item, MachineReader, MachineReading, ReadingState
from annotation.tasktypes.base import Payload
from common.chat import Ask, Reply, Request
from machines.ledger import Stopped

NO_REPLY = "The endpoint did not take the request, or gave no reply."
Why = Callable[[int], str]


class Question(NamedTuple):
    """One thing that a reader is asked, before and after.

    payload: what it is asked about.
    order: canonical numbers of the options as shown.
    request: what is sent.
    """

    payload: Payload
    order: Sequence[int]
    request: Request


class Said(NamedTuple):
    """What came of a question.

    parsed: what the last reply means.
    reply: the last reply; None where there was none.
    asked: how many requests it took.
    prompt_tokens, completion_tokens: over all of them; None where nobody counted.
    """

    parsed: Parsed
    reply: Reply | None
    asked: int
    prompt_tokens: int | None
    completion_tokens: int | None


class Broken(Exception):
    """Raised where asking stopped in the middle; `said` is what was answered, by place."""

    def __init__(self, stopped: Stopped, said: Mapping[int, Said]) -> None:
        super().__init__(stopped.reason)
        self.stopped, self.said = stopped, said


def question(reader: MachineReader, payload: Payload, order: Sequence[int], replicate: int = 0) -> Question:
    """Return what the reader is asked about a payload."""
    task = reader.study.task_type
    return Question(payload, order, prompts.request(reader, task, payload, order, replicate))


def answers(reader: MachineReader, ask: Ask, questions: Sequence[Question]) -> dict[int, Said]:
    """Ask, read, and ask once more where a reply could not be read; return what was said, by place.

    Raises:
        Broken: nothing more can be asked now.
    """
    found, stopped = first_replies(ask, questions, reader)
    unread = [at for at, said in found.items() if said.parsed.state == ReadingState.UNREADABLE]
    if unread and stopped is None:
        second = [replies.again(questions[at].request, found[at].parsed.reason) for at in unread]
        got, stopped = asked(ask, second)
        for place, at in enumerate(unread):
            if place in got:
                found[at] = once_more(reader, questions[at], found[at], got[place], problem(ask, place))
                if got[place] is not None:
                    note_unreadable(ask, found[at].reply, found[at].parsed)
            elif stopped is not None:
                # It is asked again, from the first reply on, which the ledger then has.
                del found[at]
    elif stopped is not None:
        for at in unread:
            del found[at]
    if stopped is not None:
        raise Broken(stopped, found)
    return found


def first_replies(
    ask: Ask, questions: Sequence[Question], reader: MachineReader
) -> tuple[dict[int, Said], Stopped | None]:
    """Ask all questions once."""
    got, stopped = asked(ask, [each.request for each in questions])
    task = reader.study.task_type
    found = {}
    for at, reply in got.items():
        if reply is None:
            means = Parsed(ReadingState.FAILED, reason=problem(ask, at))
            found[at] = Said(means, None, 1, None, None)
        else:
            means = replies.parsed(task, questions[at].payload, questions[at].order, reply)
            found[at] = Said(means, reply, 1, reply.prompt_tokens, reply.completion_tokens)
            note_unreadable(ask, reply, means)
    return found, stopped


def once_more(reader: MachineReader, about: Question, first: Said, reply: Reply | None, why: str) -> Said:
    """Return what was said in the end. Where no second reply came, the first stays unreadable."""
    if reply is None:
        return first._replace(asked=2, parsed=first.parsed._replace(reason=f"{first.parsed.reason} {why}"))
    means = replies.parsed(reader.study.task_type, about.payload, about.order, reply)
    return Said(
        means,
        reply,
        2,
        added(first.prompt_tokens, reply.prompt_tokens),
        added(first.completion_tokens, reply.completion_tokens),
    )


def asked(ask: Ask, requests: Sequence[Request]) -> tuple[dict[int, Reply | None], Stopped | None]:
    """Return the replies by place, and why asking stopped where it did."""
    try:
        return dict(enumerate(ask(requests))), None
    except Stopped as stopped:
        return dict(stopped.replies), stopped


def problem(ask: Ask, place: int) -> str:
    """Return why there is no reply, in the words of whoever asked."""
    told: Mapping[int, str] = getattr(ask, "problems", {})
    return replies.storable(told.get(place) or NO_REPLY)[: replies.LONGEST_REASON]


def note_unreadable(ask: Ask, reply: Reply | None, means: Parsed) -> None:
    """Tell whoever asked, where a ledger is kept, that no answer could be made of a reply."""
    noted = getattr(ask, "unreadable", None)
    if noted and reply and reply.call is not None and means.state == ReadingState.UNREADABLE:
        noted(reply.call, means.reason)


def added(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def reading(
    reader: MachineReader, item: Item, wanted: Wanted, about: Question, said: Said, now: datetime
) -> MachineReading:
    """Return the row of what was said, not stored yet."""
    reply, task = said.reply, reader.study.task_type
    made = MachineReading(
        reader=reader,
        item=item,
        replicate=wanted.replicate,
        order=wanted.order,
        state=said.parsed.state,
        answer=said.parsed.answer,
        reason=said.parsed.reason[: replies.LONGEST_REASON],
        text=replies.storable(reply.text) if reply else "",
        probabilities=replies.probabilities(task, about.order, reply) if reply else {},
        call=reply.call if reply else None,
        asked=said.asked,
        shown=list(about.order),
        item_digest=item.digest,
        looks_like_instruction=bool(instructions_in(item.payload)),
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        created=now,
    )
    made.derive()
    return made

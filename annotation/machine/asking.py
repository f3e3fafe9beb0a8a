"""From wanted readings to readings: requests are asked together, and replies read, asked again, and kept.

Whoever asks keeps the ledger (`machines.ledger.Asking`); here only the words are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from annotation.machine import prompts, replies
from annotation.machine.instructions import instructions_in
from annotation.machine.plan import Wanted
from annotation.machine.replies import Parsed
from annotation.models import Item, MachineReader, MachineReading, ReadingState
from annotation.tasktypes.base import Payload
from common.chat import Ask, Reply, Request
from common.chat.asking import Try, note_unreadable, twice
from machines.ledger import Stopped

NO_REPLY = "The endpoint did not take the request, or gave no reply."


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
    task, asking = reader.study.task_type, _Asking(ask)

    def read(at: int, place: int, reply: Reply | None) -> Parsed:
        if reply is None:
            return Parsed(ReadingState.FAILED, reason=problem(ask, place))
        means = replies.parsed(task, questions[at].payload, questions[at].order, reply)
        if means.state == ReadingState.UNREADABLE:
            note_unreadable(ask, reply, means.reason)
        return means

    requests = [each.request for each in questions]
    found = {at: said(tries) for at, tries in twice(asking, requests, read, complaint).items()}
    if asking.stopped is not None:
        raise Broken(asking.stopped, found)
    return found


def complaint(means: Parsed) -> str:
    """Return the sentence with which a reply is asked for once more; "" where it was read."""
    if means.state != ReadingState.UNREADABLE:
        return ""
    return replies.AGAIN.format(why=means.reason)


def said(tries: Sequence[Try[Parsed]]) -> Said:
    """Return what was said in the end. Where no second reply came, the first stays unreadable."""
    first, last = tries[0], tries[-1]
    if last.reply is None and first.reply is not None:
        means = first.read._replace(reason=f"{first.read.reason} {last.read.reason}")
        last = Try(first.reply, means)
        came = [first.reply]
    else:
        came = [each.reply for each in tries if each.reply is not None]
    prompt = [each.prompt_tokens for each in came]
    completion = [each.completion_tokens for each in came]
    return Said(last.read, last.reply, len(tries), added(prompt), added(completion))


class _Asking:
    """Asks, and keeps why it stopped: then nothing more is asked."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.stopped: Stopped | None = None

    def __call__(self, requests: Sequence[Request]) -> Mapping[int, Reply | None]:
        if self.stopped is not None:
            return {}
        try:
            return dict(enumerate(self._ask(requests)))
        except Stopped as stopped:
            self.stopped = stopped
            return dict(stopped.replies)


def problem(ask: Ask, place: int) -> str:
    """Return why there is no reply, in the words of whoever asked."""
    told: Mapping[int, str] = getattr(ask, "problems", {})
    return replies.storable(told.get(place) or NO_REPLY)[: replies.LONGEST_REASON]


def added(counts: Sequence[int | None]) -> int | None:
    """Return the sum of what was counted; None where nobody counted."""
    known = [each for each in counts if each is not None]
    return sum(known) if known else None


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

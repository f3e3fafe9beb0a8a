"""Messages between one reader and the researchers about one item: a thread that begins with a note.

It begins with a note that went with an answer, which stays in the record as it was;
what follows are messages. Researchers know the reader by the pseudonym, the reader
knows them as the researcher, and no other reader ever sees a line of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.judging.submissions import LONGEST_NOTE, checked_text
from annotation.models import Enrolment, EnrolmentState, Item, Judgment, Message
from annotation.tasktypes.base import Invalid
from common.composed import Composed, Given, Question

ANSWERS = Q(from_researcher=True)
HERE_OR_NEW = Composed(
    lambda: Message.objects.filter(Q(item=Given("item")) | (ANSWERS & Q(read=None)), reader=Given("reader"))
)


class MessageLine(NamedTuple):
    """One note or message.

    from_researcher: who wrote it.
    text: its words.
    at: when.
    new: whether the other side has not seen it yet.
    """

    from_researcher: bool
    text: str
    at: datetime
    new: bool


class Thread(NamedTuple):
    """All notes and messages about one item between one reader and the researchers.

    lines: the first one first.
    unread: how many are new to the side that asked.
    """

    lines: list[MessageLine]
    unread: int


Key = tuple[int, int]  # item, reader


def send(
    item: Item, reader: Enrolment, text: str, *, by: User, from_researcher: bool, now: datetime
) -> Message:
    """Store and return a message, and mark what the other side wrote before as seen.

    A text that repeats the sender's last message (a double click) stores nothing: that message is returned.

    Raises `Invalid` for an empty or unstorable text, and where there are no messages to add to.
    """
    text = checked_text(text.replace("\r\n", "\n"), "message", LONGEST_NOTE).strip()
    if not text:
        raise Invalid(_("The message is empty: write what you want to say."), "message")
    if not has_thread(item, reader):
        raise Invalid(_("There is nothing to answer here: messages begin with your note."), "message")
    with transaction.atomic():
        # The two clicks of a double one take turns.
        me = Enrolment.objects.select_for_update(no_key=True).get(pk=reader.pk)
        if me.state == EnrolmentState.WITHDRAWN:
            raise Invalid(_("The reader has withdrawn from this study: nothing more is stored."), "message")
        mark_read(item, reader, by_researcher=from_researcher, now=now)
        last = Message.objects.filter(item=item, reader=reader).order_by("created", "id").last()
        if last is not None and (last.from_researcher, last.text) == (from_researcher, text):
            return last
        return Message.objects.create(
            item=item, reader=reader, author=by, from_researcher=from_researcher, text=text, created=now
        )


def has_thread(item: Item, reader: Enrolment) -> bool:
    """Return whether the reader wrote a note here, flagged the item, could not decide, or was written to."""
    said = Judgment.objects.filter(assignment__item=item, annotator=reader)
    if said.exclude(note="", reason="").exists():
        return True
    return Message.objects.filter(item=item, reader=reader).exists()


def mark_read(item: Item, reader: Enrolment, *, by_researcher: bool, now: datetime) -> int:
    """Store when one side first saw what the other wrote; return how many messages were new to it."""
    rows = Message.objects.filter(item=item, reader=reader, from_researcher=not by_researcher, read=None)
    return rows.update(read=now)


def unread_by(reader: Enrolment) -> QuerySet[Message]:
    """Return the researchers' messages that this reader has not seen."""
    return Message.objects.filter(ANSWERS, reader=reader, read=None)


def unread_by_researchers() -> Exists:
    """Return a condition on judgments: their reader wrote a message that no researcher has seen."""
    written = Message.objects.filter(item=OuterRef("assignment__item"), reader=OuterRef("annotator"))
    return Exists(written.exclude(ANSWERS).filter(read=None))


def has_messages() -> Exists:
    """Return a condition on judgments: there are messages with their reader about their item."""
    return Exists(Message.objects.filter(item=OuterRef("assignment__item"), reader=OuterRef("annotator")))


def threads_on_judgments(judgments: Iterable[Judgment]) -> dict[Key, Thread]:
    """Return the messages about these judgments, for the researcher, who reads the notes beside them."""
    keys = {(each.assignment.item_id, each.annotator_id) for each in judgments}
    rows = Message.objects.filter(item__in={item for item, _ in keys}, reader__in={who for _, who in keys})
    return threads(list(rows), [], by_researcher=True)


def threads_of_reader(reader: Enrolment) -> dict[Key, Thread]:
    """Return all threads of one reader, notes included; the latest first."""
    messages = list(Message.objects.filter(reader=reader))
    notes = reader.judgments.exclude(note="").select_related("assignment")
    found = threads(messages, notes, by_researcher=False)
    return dict(sorted(found.items(), key=lambda each: each[1].lines[-1].at, reverse=True))


def here_or_new(item: Item, reader: Enrolment) -> Question:
    """Ask for the messages about this item and all unread replies, as `thread_at_item` wants them."""
    return HERE_OR_NEW.asked(item=item.pk, reader=reader.pk)


def thread_at_item(
    item: Item, reader: Enrolment, messages: list[Message], *, judged: bool
) -> tuple[Thread | None, int]:
    """Return the thread about this item, if there are messages, and how many unread replies are elsewhere;
    `messages` as `here_or_new` asks for them.
    """
    here = [each for each in messages if each.item_id == item.pk]
    elsewhere = len(messages) - len(here)
    if not here:
        return None, elsewhere
    notes = reader.judgments.filter(assignment__item=item).exclude(note="").select_related("assignment")
    return threads(here, notes if judged else (), by_researcher=False)[item.pk, reader.pk], elsewhere


def threads(
    messages: Iterable[Message], notes: Iterable[Judgment], *, by_researcher: bool
) -> dict[Key, Thread]:
    """Return notes and messages by item and reader, in the order in which they were written."""
    lines: dict[Key, list[MessageLine]] = defaultdict(list)
    for note in sorted(notes, key=lambda each: each.created):
        before = lines[note.assignment.item_id, note.annotator_id]
        # A revision carries its note along: said once, it is shown once.
        if note.note not in [each.text for each in before]:
            before.append(MessageLine(False, note.note, note.created, new=False))
    for each in messages:
        new = each.read is None and each.from_researcher is not by_researcher
        lines[each.item_id, each.reader_id].append(
            MessageLine(each.from_researcher, each.text, each.created, new)
        )
    return {
        key: Thread(sorted(said, key=lambda line: line.at), sum(line.new for line in said))
        for key, said in lines.items()
    }

"""What a researcher has to send by hand: what failed, and all where no mail server is set."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet

from annotation.mail import confirming, sending, stopping
from annotation.mail.due import Due, due, readers
from annotation.models import Letter, MailKind, Study
from common.errors import BadInput

NO_SERVER, NO_ADDRESS = "No mail server is set.", "This reader left no e-mail address."
NOT_CONFIRMED = "This reader has not confirmed their e-mail address."
LOST = timedelta(minutes=10)
"""A letter that was begun so long ago and is not settled was broken off with its worker."""


class ByHand(NamedTuple):
    """A row of the list.

    who: a pseudonym, or the address of an invitation.
    what: of which kind, in words.
    path: the link to send.
    why: it has to be sent by hand.
    key: names it in a form: of a stored letter, or of something that is due.
    again: whether it can be tried again.
    """

    who: str
    what: str
    path: str
    why: str
    key: str
    again: bool = False


def by_hand(study: Study, now: datetime) -> Iterator[ByHand]:
    """Yield what has to be sent by hand, what failed first."""
    for letter in unsettled(study, now).select_related("study", "reader__user", "invitation"):
        who = letter.reader.pseudonym if letter.reader is not None else letter.address or "An address"
        why = letter.problem or (sending.BROKE_OFF if letter.tried else NO_SERVER)
        again = settings.MAIL_IS_SENT and why != sending.UNWANTED
        path = sending.path_of(letter)
        yield ByHand(who, letter.get_kind_display(), path, why, f"letter-{letter.pk}", again)
    for each in due(study, now, readers(study)):
        why = why_not_written(each)
        if why:
            key = f"{each.kind}-{each.reader.pseudonym}-{each.about}"
            yield ByHand(each.reader.pseudonym, MailKind(each.kind).label, each.path, why, key)


def unsettled(study: Study, now: datetime) -> QuerySet[Letter]:
    """Return letters that were not sent: failed, broken off, or waiting where nothing is sent."""
    found = ~Q(problem="") | Q(tried__lt=now - LOST)
    if not settings.MAIL_IS_SENT:
        found |= Q(tried=None)
    return Letter.objects.filter(found, study=study, sent=None).exclude(kind=MailKind.CONFIRM)


def why_not_written(each: Due) -> str:
    """Return why a reader is not written to by this site; empty where they are, or want nothing."""
    address = each.reader.user.email if each.reader.user is not None else ""
    if address and stopping.stopped(each.reader.study, address):
        return ""
    if not settings.MAIL_IS_SENT:
        return NO_SERVER
    if not address:
        return NO_ADDRESS
    return "" if confirming.is_confirmed(each.reader.user) else NOT_CONFIRMED


def told(study: Study, key: str, now: datetime) -> None:
    """Store that a researcher told them. Raises `BadInput` for what is not on the list any more."""
    letter = letter_of(study, key, now)
    if letter is not None:
        Letter.objects.filter(pk=letter.pk).update(by_hand=True, sent=now, problem="", address="")
        return
    for each in due(study, now, readers(study)):
        if key == f"{each.kind}-{each.reader.pseudonym}-{each.about}":
            Letter.objects.get_or_create(
                reader=each.reader,
                kind=each.kind,
                about=each.about,
                defaults={"study": study, "by_hand": True, "sent": now},
            )
            return
    raise BadInput("That is not on the list any more: nothing was changed.")


def try_again(study: Study, key: str, now: datetime) -> None:
    """Have a letter sent again. Raises `BadInput` for what is not on the list any more."""
    letter = letter_of(study, key, now)
    if letter is None:
        raise BadInput("That is not on the list any more: nothing was changed.")
    fresh = {"problem": "", "tried": None, "tries": 0, "not_before": None}
    Letter.objects.filter(pk=letter.pk, sent=None).update(**fresh)


def letter_of(study: Study, key: str, now: datetime) -> Letter | None:
    """Return the letter that a key names, if it is on the list: not one that waits or is just being sent."""
    number = key.removeprefix("letter-")
    if number == key or not number.isdecimal() or len(number) > 18:
        return None
    return unsettled(study, now).filter(pk=int(number)).first()

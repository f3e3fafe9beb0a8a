"""Send what is due, each message once: a worker's chore.

A row is claimed before its message is sent. Whatever breaks off then is not sent again, and the researcher is
shown it with the link to send by hand; only a server that was not reached, or said *later*, is tried again.
"""

from __future__ import annotations

import logging
import re
import time
from datetime import datetime, timedelta
from smtplib import SMTP, SMTPException, SMTPRecipientsRefused, SMTPResponseException
from threading import Lock, Thread

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connections
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.mail import confirming, stopping, wording
from annotation.mail.due import KINDS, due, page, readers
from annotation.models import Enrolment, EnrolmentState, Letter, MailKind, MailTemplate, State, Study
from annotation.models.mail import address_digest
from annotation.people import enrolments

EVERY_SECONDS = 60
AT_ONCE, AT_MOST_SECONDS = 20, 5
"""Letters in one sweep, and how long it may take before the next letter is left to the next one."""
WAITS = (60, 600, 3600, 21_600)
"""Seconds after the first try that did not reach the server, the second and so on."""
PAGES = {
    MailKind.OPENED: "begin",
    MailKind.REMINDED: "begin",
    MailKind.REPLIED: "messages",
    MailKind.DECIDED: "decisions",
}
UNWANTED = "Whoever has this address wants no e-mail of the study."
BROKE_OFF = "The connection broke while it was sent: it may have arrived."
WORD = re.compile(r"[\w.'+%@-]+")
"""A word of what a server says, or an address in it."""
_next_look = 0.0
_sends = Lock()
"""Held while this worker sends."""
logger = logging.getLogger(__name__)


def send_if_due() -> None:
    """Begin to send what is due where the last look is some seconds old: a worker's chore.

    In a thread of its own: a mail server may take longer to answer than a worker may be silent.
    """
    global _next_look  # noqa: PLW0603 - one look in a while for each worker
    if time.monotonic() < _next_look or not _sends.acquire(blocking=False):
        return
    _next_look = time.monotonic() + EVERY_SECONDS
    try:
        Thread(target=look, name="mail", daemon=True).start()
    except RuntimeError:
        _sends.release()
        logger.exception("E-mail was not sent, since no thread can be started; the next look tries again")


def look() -> None:
    """Drop what has ended and send what is due; `_sends` is held, and released at the end."""
    try:
        drop_ended(timezone.now())
        if settings.MAIL_IS_SENT:
            send_due(timezone.now())
    except Exception:
        logger.exception("E-mail was not sent; the next look tries again")
    finally:
        # This thread has no request whose end would close its connection.
        connections.close_all()
        _sends.release()


def drop_ended(now: datetime) -> int:
    """Delete invitations that were not sent and let nobody in any more, with their addresses; return how
    many.
    """
    ended = Q(invitation__expires__lte=now) | Q(invitation__revoked__isnull=False)
    n, _ = Letter.objects.filter(ended, sent=None).delete()
    return n


def send_due(now: datetime) -> int:
    """Store what is due now, and send what waits; return how many were sent."""
    on = MailTemplate.objects.exclude(since=None).filter(kind__in=list(KINDS))
    for study in Study.objects.filter(deleted=None, pk__in=on.values("study")):
        store_due(study, now)
    return send_waiting(now)


def store_due(study: Study, now: datetime) -> None:
    """Store a letter for everything that is due to readers who have an address and want e-mail."""
    people = readers(study).exclude(user__email="")
    letters = [
        Letter(study=study, kind=each.kind, reader=each.reader, about=each.about)
        for each in due(study, now, people)
        if can_be_written(each.reader)
    ]
    letters += confirming.letters(readers(study), study, now)
    Letter.objects.bulk_create(letters, ignore_conflicts=True)


def can_be_written(reader: Enrolment) -> bool:
    """Return whether this reader has confirmed their address, and has not stopped e-mail of the study."""
    address = reader.user.email if reader.user is not None else ""
    return confirming.is_confirmed(reader.user) and not stopping.stopped(reader.study, address)


def waiting(now: datetime) -> QuerySet[Letter]:
    """Return the letters to be sent now, the first first."""
    rows = Letter.objects.filter(sent=None, problem="", tried=None, study__deleted=None)
    rows = rows.filter(Q(not_before=None) | Q(not_before__lte=now))
    return rows.select_related("study", "reader__user", "invitation")


def send_waiting(now: datetime) -> int:
    """Send what waits, for some seconds; return how many were sent."""
    letters, until, n = list(waiting(now)[:AT_ONCE]), time.monotonic() + AT_MOST_SECONDS, 0
    if not letters:
        return 0
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as error:
        for letter in letters:
            if claim(letter, now):  # another worker may be sending it at this moment
                again_later(letter, said_by(error), now)
        return 0
    try:
        for letter in letters:
            if time.monotonic() > until or hung_up(connection):
                break
            n += claim(letter, now) and send(letter, connection, now)
    finally:
        connection.close()
    return n


def hung_up(connection: BaseEmailBackend) -> bool:
    """Return whether the server has ended the conversation, as many do after some letters: nothing more can
    be sent by this connection, and what was not tried waits for the next sweep.
    """
    server = getattr(connection, "connection", None)
    return isinstance(server, SMTP) and server.sock is None


def claim(letter: Letter, now: datetime) -> bool:
    """Take a letter, for one worker alone."""
    free = Letter.objects.filter(pk=letter.pk, tried=None, sent=None, problem="")
    return bool(free.update(tried=now, tries=F("tries") + 1))


def send(letter: Letter, connection: BaseEmailBackend, now: datetime) -> bool:
    """Send a letter that was claimed, and store what came of it; return whether it was sent."""
    if is_past(letter) or not may_go(letter):
        # Not sent, so that it is due again should it become true once more.
        letter.delete()
        return False
    address = address_of(letter)
    if not address or stopping.stopped(letter.study, address):
        wants_none(letter)
        return False
    try:
        message(letter, address, connection).send()
    except SMTPRecipientsRefused as refused:
        code, words = next(iter(refused.recipients.values()), (550, b""))
        refusal(letter, code, words, now)
    except SMTPResponseException as error:
        refusal(letter, error.smtp_code, error.smtp_error, now)
    except (OSError, SMTPException, ValueError):
        Letter.objects.filter(pk=letter.pk).update(problem=BROKE_OFF)
    else:
        Letter.objects.filter(pk=letter.pk).update(sent=now, address="")
        return True
    return False


def may_go(letter: Letter) -> bool:
    """Return whether a letter goes to its reader: their address may have changed since it was stored."""
    if letter.reader is None or letter.reader.user is None:
        return True
    if letter.kind == MailKind.CONFIRM:
        return letter.about == address_digest(letter.reader.user.email)
    return confirming.is_confirmed(letter.reader.user)


def wants_none(letter: Letter) -> None:
    """Store that an invitation was not wanted; drop what was due to a reader who left or stopped e-mail."""
    if letter.reader is not None:
        letter.delete()
    else:
        Letter.objects.filter(pk=letter.pk).update(address="", problem=UNWANTED)


def is_past(letter: Letter) -> bool:
    """Return whether a letter that waited is true no more: its kind was switched off, or its study closed."""
    if letter.kind == MailKind.INVITED:
        return letter.study.state == State.CLOSED  # its link lets nobody in
    if letter.kind == MailKind.CONFIRM:
        return letter.reader is None or confirming.is_confirmed(letter.reader.user)
    over = letter.kind in (MailKind.OPENED, MailKind.REMINDED) and not letter.study.is_open
    return over or wording.of(letter.study, letter.kind).since is None


def refusal(letter: Letter, code: int, words: bytes | str, now: datetime) -> None:
    """Store that the server did not take a letter: for good, or for now (codes 4xx)."""
    said = words.decode(errors="replace") if isinstance(words, bytes) else str(words)
    said = without_address(said, address_of(letter))
    told = f"The mail server answered {code}: {' '.join(said.split())}"[:300]
    if 400 <= code < 500:
        again_later(letter, told, now)
    else:
        Letter.objects.filter(pk=letter.pk).update(problem=told)


def without_address(said: str, address: str) -> str:
    """Return what a server said without the addresses that it repeats: no researcher sees a reader's."""
    own = {part.casefold() for part in address.split("@")}
    return WORD.sub(
        lambda word: "…" if "@" in word[0] or word[0].strip(".'").casefold() in own else word[0], said
    )


def again_later(letter: Letter, told: str, now: datetime) -> None:
    """Have a letter that was not taken tried again later; after the last try, store why it was not."""
    tries = max(letter.tries, 0) + 1
    row = Letter.objects.filter(pk=letter.pk, sent=None)
    if tries > len(WAITS):
        row.update(problem=told, tries=tries)
    else:
        row.update(tried=None, tries=tries, not_before=now + timedelta(seconds=WAITS[tries - 1]))


def said_by(error: Exception) -> str:
    """Return in a sentence why the server was not reached."""
    return f"The mail server was not reached: {type(error).__name__}."


def address_of(letter: Letter) -> str:
    """Return where a letter goes; empty for who has left or has no address any more."""
    if letter.reader is None:
        return letter.address
    there = letter.reader.state == EnrolmentState.ACTIVE and letter.reader.user is not None
    return letter.reader.user.email if there and letter.reader.user is not None else ""


def path_of(letter: Letter) -> str:
    """Return the path that a letter leads to."""
    if letter.invitation is not None:
        return enrolments.address(enrolments.link(letter.invitation))
    if letter.kind == MailKind.CONFIRM and letter.reader is not None and letter.reader.user is not None:
        return confirming.path(letter.reader.user)
    return page(letter.study, PAGES[MailKind(letter.kind)])


def language_of(letter: Letter) -> str:
    """Return the language of a letter: an invitation's own, else the one that its reader has chosen, else
    that of the page on which they left their address.
    """
    if letter.reader is None:
        return letter.language
    user = letter.reader.user
    own = getattr(user, "preferences", None) if user is not None else None
    said = [own.reading.get("language"), own.reading.get("letters")] if own is not None else []
    return next((str(each) for each in said if each in dict(settings.LANGUAGES)), "en")


def message(letter: Letter, address: str, connection: BaseEmailBackend) -> EmailMessage:
    """Return the message of a letter, with the headers by which mail programs stop it with one click."""
    template, study = wording.of(letter.study, letter.kind), letter.study
    stop = settings.SITE + stopping.stop_path(study, address)
    language = language_of(letter)
    said = wording.in_language(template, language)
    said = wording.filled(said, study, settings.SITE + path_of(letter), stop, language)
    headers = {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    sender = settings.DEFAULT_FROM_EMAIL
    return EmailMessage(said.subject, said.text, sender, [address], headers=headers, connection=connection)

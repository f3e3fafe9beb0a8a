"""Addresses that their owners confirmed: letters go to no other, so that nobody has somebody else written to.

A link is sent to an address that an account gives, by the worker that sends all letters; who opens it and
presses the button has shown that the address is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import QuerySet
from django.urls import reverse

from annotation.mail import stopping
from annotation.models import ConfirmedAddress, Enrolment, Letter, MailKind, MailStop, Study
from annotation.models.mail import address_digest

SIGNER = signing.TimestampSigner(salt="annotation.mail.confirm", sep=".")
VALID = timedelta(days=14)
A_DAY, MOST_A_DAY = timedelta(days=1), 3
"""Links to confirm that are sent on behalf of one reader, and to one address: more would let them, or several
accounts of theirs, bother others."""


def is_confirmed(user: User | None) -> bool:
    """Return whether the address that the account has now was confirmed."""
    if user is None or not user.email:
        return False
    return ConfirmedAddress.objects.filter(user=user, digest=address_digest(user.email)).exists()


def standing_of(reader: Enrolment) -> str:
    """Return whether a reader is written to: "told", "unconfirmed", "stopped", or "" without an address.

    Where this site sends nothing, researchers write by hand, and need no confirmed address.
    """
    user = reader.user
    if user is None or not user.email:
        return ""
    if stopping.stopped(reader.study, user.email):
        return "stopped"
    return "told" if not settings.MAIL_IS_SENT or is_confirmed(user) else "unconfirmed"


def confirm(user: User) -> None:
    """Store that the address which the account has now is its owner's."""
    ConfirmedAddress.objects.get_or_create(user=user, digest=address_digest(user.email))


def path(user: User) -> str:
    """Return the path of the page that confirms the address which the account has now."""
    return reverse("annotation:confirm_mail", args=[SIGNER.sign(f"{user.pk}-{address_digest(user.email)}")])


def read(token: str) -> User | None:
    """Return whose address a link confirms; None for a forged or old one, and where the address is another
    by now.
    """
    try:
        pk, _, known = SIGNER.unsign(token, max_age=VALID).partition("-")
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return user if user is not None and user.email and address_digest(user.email) == known else None


def letters(people: QuerySet[Enrolment], study: Study, now: datetime) -> Iterator[Letter]:
    """Yield a letter with a link to confirm for each of these readers whose address was not confirmed, and
    who was sent none to it; a few a day for each reader, and to each address, whoever gives it.

    Four queries, however many read.
    """
    confirmed = set(
        ConfirmedAddress.objects.filter(user__in=people.values("user")).values_list("user", "digest")
    )
    stops = set(MailStop.objects.filter(study=study).values_list("digest", flat=True))
    told = Letter.objects.filter(kind=MailKind.CONFIRM).exclude(reader=None)
    own = set(told.filter(study=study).values_list("reader", "about"))
    of_reader, to_address = Counter[int](), Counter[str]()
    for reader_pk, about in told.filter(created__gt=now - A_DAY).values_list("reader", "about"):
        of_reader[reader_pk] += 1
        to_address[about] += 1
    for reader in people.exclude(user__email=""):
        known = address_digest(reader.user.email) if reader.user is not None else ""
        if not known or (reader.user_id, known) in confirmed or known in stops or (reader.pk, known) in own:
            continue
        if max(of_reader[reader.pk], to_address[known]) < MOST_A_DAY:
            to_address[known] += 1
            yield Letter(study=study, kind=MailKind.CONFIRM, reader=reader, about=known)


def again(reader: Enrolment, now: datetime) -> None:
    """Have another link sent, a day after the last one to the same address at the earliest."""
    email = reader.user.email if reader.user is not None else ""
    old = reader.letters.filter(kind=MailKind.CONFIRM, about=address_digest(email))
    old.filter(created__lte=now - A_DAY).delete()

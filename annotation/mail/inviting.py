"""Invitations by e-mail: a link for each address, which is kept until its message was sent."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.mail.stopping import stopped
from annotation.models import Letter, MailKind, Role, Study
from annotation.models.mail import address_digest
from annotation.people import enrolments


class Invited(NamedTuple):
    """What became of a list of addresses: how many get a link, have a valid one already, want no e-mail."""

    new: int
    before: int
    unwanted: int


def invite_all(
    study: Study, addresses: Iterable[str], *, days: int, by: User, now: datetime, language: str = "en"
) -> Invited:
    """Make a link and a letter in that language for each address; all or none.

    Raises `BadInput` for a closed study.
    """
    new = before = unwanted = 0
    with transaction.atomic():
        # Two who invite at once take turns: a button pressed twice would send two links to each.
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        valid = {"invitation__revoked": None, "invitation__expires__gt": now}
        letters = Letter.objects.filter(study=study, kind=MailKind.INVITED, **valid)
        there = set(letters.values_list("about", flat=True))
        for each in addresses:
            known = address_digest(each)
            if known in there:
                before += 1
            elif stopped(study, each):
                unwanted += 1
            else:
                made = enrolments.invite(study, role=Role.ANNOTATOR, seats=1, days=days, by=by, now=now)
                Letter.objects.create(
                    study=study,
                    kind=MailKind.INVITED,
                    invitation=made,
                    about=known,
                    address=each,
                    language=language,
                )
                there.add(known)
                new += 1
    return Invited(new, before, unwanted)

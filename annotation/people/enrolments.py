"""Enrolment: who joins a study and how. Pseudonyms; invitation links with seats and an end."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from urllib.parse import quote

from django.contrib.auth.models import Permission, User
from django.core import signing
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.models import Enrolment, EnrolmentState, Event, Invitation, Preferences, Role, State, Study
from common import wording
from common.errors import BadInput

PREFIX = {Role.ANNOTATOR: "", Role.ADJUDICATOR: "J", Role.RESEARCHER: "R"}
MOST_SEATS, MOST_DAYS = 1000, 365
SIGNER = signing.Signer(salt="annotation.invitation", sep=".")


def enrol(study: Study, user: User, role: str, *, simulated: bool = False) -> Enrolment:
    """Enrol `user` in the study under the next pseudonym: A, B … Z, AA; J1 …; R1 …

    Somebody who has this part already keeps it. `BadInput` for another part, for one
    who has left, and where people and simulated readers would mix.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        present = Enrolment.objects.filter(study=study, user=user).first()
        if present is not None:
            return checked(present, role)
        refuse_mixing(study, role, simulated)
        enrolment = Enrolment.objects.create(
            study=study, user=user, role=role, pseudonym=next_pseudonym(study, role), simulated=simulated
        )
        Event.objects.create(
            study=study,
            actor=user,
            verb="enrol",
            data={"role": role, "pseudonym": enrolment.pseudonym, "simulated": simulated},
        )
        return enrolment


def checked(present: Enrolment, role: str) -> Enrolment:
    """Return an enrolment that is there already, if it is active and has this role. Raises `BadInput`."""
    if present.role != role:
        said = _("{person} is in “{study}” already, as: {role}.")
        role_here = _(present.get_role_display())
        raise BadInput(said.format(person=present.user, study=present.study.slug, role=role_here))
    if present.state != EnrolmentState.ACTIVE:
        said = _("{person} has left “{study}”: a researcher must let them in again.")
        raise BadInput(said.format(person=present.user, study=present.study.slug))
    return present


def refuse_mixing(study: Study, role: str, simulated: bool) -> None:
    """Raise `BadInput` where people and programs would be in one study: their numbers must not be mixed."""
    others = Enrolment.objects.filter(study=study, role=Role.ANNOTATOR, simulated=not simulated)
    if role == Role.ANNOTATOR and others.exists():
        said = _("“{study}” has simulated readers: build another study, the two are never mixed.")
        if simulated:
            said = _(
                "“{study}” has people among its annotators: build another study, the two are never mixed."
            )
        raise BadInput(said.format(study=study.slug))


def next_pseudonym(study: Study, role: str) -> str:
    """Return the first pseudonym not given in this study. The caller holds the study's lock."""
    taken = set(Enrolment.objects.filter(study=study, role=role).values_list("pseudonym", flat=True))
    names = (letters(n) if role == Role.ANNOTATOR else f"{PREFIX[Role(role)]}{n}" for n in count(1))
    return next(name for name in names if name not in taken)


def letters(number: int) -> str:
    """Name a number as table columns are named: 1 is A, 26 is Z, 27 is AA."""
    name = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def invite(
    study: Study, *, role: str, seats: int, days: int, by: User | None, now: datetime | None = None
) -> Invitation:
    """Make an invitation for so many people and days. Raises `BadInput` for a closed study or odd numbers."""
    if study.state == State.CLOSED:
        raise BadInput(f"The study “{study.slug}” is closed: nobody can join it any more.")
    if role not in Role.values:
        raise BadInput(f"There is no role “{role}”: use {', '.join(Role.values)}.")
    if not 1 <= seats <= MOST_SEATS:
        raise BadInput(f"{seats} seats: an invitation is for 1 to {MOST_SEATS} people.")
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(f"{days} days: an invitation lasts 1 to {MOST_DAYS} days.")
    now = now or timezone.now()
    with transaction.atomic():
        invitation = Invitation.objects.create(
            study=study, role=role, seats=seats, expires=now + timedelta(days=days), created_by=by
        )
        Event.objects.create(
            study=study,
            actor=by,
            verb="invite",
            data={"invitation": invitation.pk, "role": role, "seats": seats, "days": days},
        )
    return invitation


def revoke(invitation: Invitation, *, by: User | None, now: datetime) -> bool:
    """End an invitation; return False where it had been ended before."""
    with transaction.atomic():
        ended = Invitation.objects.filter(pk=invitation.pk, revoked=None).update(revoked=now)
        if ended:
            Event.objects.create(
                study=invitation.study, actor=by, verb="revoke", data={"invitation": invitation.pk}
            )
    return bool(ended)


def link(invitation: Invitation) -> str:
    """Return the code of the invitation's link. It is signed, so that nobody can count upwards."""
    return SIGNER.sign(str(invitation.pk))


def address(code: str) -> str:
    """Return the path of an invitation's link: the code stands behind the `#`, which reaches no log."""
    return f"{reverse('annotation:join')}#{quote(code)}"


def read(code: str) -> Invitation | None:
    """Return the invitation a code names, also an ended one; None for a forged or unknown one."""
    try:
        number = SIGNER.unsign(code)
    except signing.BadSignature:
        return None
    return invitations().filter(pk=number).first()


def invitations() -> QuerySet[Invitation]:
    """Return the invitations whose study is not in the trash."""
    return Invitation.objects.filter(study__deleted=None).select_related("study")


def accept(invitation: Invitation, user: User, now: datetime) -> Enrolment:
    """Take a seat and enrol; a second time gives the same enrolment and takes no second seat. Raises
    `BadInput`.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=invitation.study_id)
        present = Enrolment.objects.filter(study=study, user=user).first()
        if present is not None:
            return checked(present, invitation.role)
        open_now = Q(revoked=None, used__lt=F("seats"), expires__gt=now)
        seat = Invitation.objects.filter(open_now, pk=invitation.pk).exclude(study__state=State.CLOSED)
        if not seat.update(used=F("used") + 1):
            invitation.refresh_from_db()
            raise BadInput(refusal(invitation, study, now))
        return enrol(study, user, invitation.role)


def refusal(invitation: Invitation, study: Study, now: datetime) -> str:
    """Return why an invitation lets nobody in."""
    if study.state == State.CLOSED:
        return _("This study is closed: nobody can join it any more.")
    if invitation.revoked is not None:
        return _("This invitation was withdrawn: ask for a new one.")
    if invitation.expires <= now:
        said = _("This invitation ended on {day}: ask for a new one.")
        return said.format(day=wording.day(invitation.expires))
    said = ngettext(
        "This invitation was for {n} person and its place is taken: ask for a new one.",
        "This invitation was for {n} people and all its places are taken: ask for a new one.",
        invitation.seats,
    )
    return said.format(n=invitation.seats)


def remember_language(user: User) -> None:
    """Keep the language of the page on which somebody left an e-mail address, for what is sent to it."""
    kept, _made = Preferences.objects.get_or_create(user=user)
    kept.reading = kept.reading | {"letters": get_language()}
    kept.save(update_fields=["reading", "changed"])


def make_researcher(user: User) -> None:
    """Allow `user` to set up studies and to read books and candidate jobs."""
    user.user_permissions.add(
        *Permission.objects.filter(
            Q(content_type__app_label="annotation", codename="add_study")
            | Q(content_type__app_label="retrieval", codename__in=["view_book", "view_candidatejob"])
        )
    )

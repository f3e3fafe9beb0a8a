"""Arriving by the link of a recruiting service, with the id that it writes into the address.

The same id is the same reader: who comes again goes on where they were, with no second enrolment.
"""

from __future__ import annotations

import secrets
import string
from datetime import datetime
from typing import NamedTuple
from urllib.parse import parse_qsl

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.models import Enrolment, Invitation, OutsideId, RecruitingService, Role, Study
from annotation.models.recruiting import LONGEST_ID
from annotation.people import enrolments
from common.errors import BadInput
from common.link_codes import code_of

SESSION = "outside"
MADE = "reader-"
"""How the names of accounts begin that an id made."""
FIRST, OTHERS = string.ascii_letters + string.digits, string.ascii_letters + string.digits + "_.@:+-"
MOST_FIELDS, MOST_LINKS = 20, 20


class Arrival(NamedTuple):
    """A link of an invitation as it was opened or pasted.

    code: of the invitation.
    fields: what else its address said, by name in small letters.
    """

    code: str
    fields: dict[str, str]


def read_link(pasted: str) -> Arrival:
    """Read a link whose parameters stand before its `#` or behind its code."""
    text = "".join(pasted.split())[:2000]
    fields: dict[str, str] = {}
    for part in text.replace("#", "?").split("?"):
        try:
            fields |= dict(parse_qsl(part, max_num_fields=MOST_FIELDS))
        except ValueError:
            continue
    return Arrival(code_of(text), {name.lower(): value for name, value in fields.items()})


def service_of(invitation: Invitation) -> RecruitingService | None:
    """Return the recruiting service that an invitation is for, or None."""
    return RecruitingService.objects.filter(invitation=invitation).first()


def remember(request: HttpRequest, invitation: Invitation, arrival: Arrival) -> None:
    """Keep in this browser's session the id with which it came, if the invitation asks for one."""
    service = service_of(invitation)
    if service is None:
        return
    kept = dict(request.session.get(SESSION, {}))
    kept.pop(str(invitation.pk), None)
    value = arrival.fields.get(service.parameter.lower(), "")
    if is_id(value):
        kept[str(invitation.pk)] = value
    request.session[SESSION] = dict(list(kept.items())[-MOST_LINKS:])


def remembered(request: HttpRequest, invitation: Invitation) -> str:
    """Return the id with which this browser came by the invitation; empty without one."""
    return str(request.session.get(SESSION, {}).get(str(invitation.pk), ""))


def is_id(value: str) -> bool:
    """Return whether this can be an id: letters, digits and _ . @ : + -, no unfilled place."""
    return 0 < len(value) <= LONGEST_ID and value[0] in FIRST and set(value) <= set(OTHERS)


def known(invitation: Invitation, value: str) -> OutsideId | None:
    """Return the reader who has come to this study with that id, or None."""
    own = OutsideId.objects.filter(study=invitation.study_id, value=value)
    return own.select_related("enrolment__user", "enrolment__study").first()


def enter(
    invitation: Invitation, service: RecruitingService, value: str, user: User | None, *, now: datetime
) -> Enrolment:
    """Enrol whoever comes with that id, making an account without a password where nobody is signed in.

    Raises `BadInput` without an id, for an id of somebody else, and where the invitation lets nobody in.
    """
    if not is_id(value):
        raise BadInput(missing(service))
    with transaction.atomic():
        # Two who come with one id take turns.
        Study.objects.select_for_update(no_key=True).get(pk=invitation.study_id)
        there = known(invitation, value)
        if there is not None:
            return come_again(there, user)
        if user is None:
            user = User.objects.create_user(username=f"{MADE}{secrets.token_hex(6)}", first_name="Reader")
        me = enrolments.accept(invitation, user, now)
        if OutsideId.objects.filter(enrolment=me).exists():
            raise BadInput(
                _(
                    "You have joined this study with another id of your service already: sign out, and open "
                    "the link again."
                )
            )
        OutsideId.objects.create(study_id=me.study_id, service=service, enrolment=me, value=value)
    return me


def come_again(there: OutsideId, user: User | None) -> Enrolment:
    """Return the enrolment of an id that is there already. Raises `BadInput` where it is somebody else's."""
    me = there.enrolment
    if user is not None and user.pk != me.user_id:
        raise BadInput(
            _("Somebody has joined with this id by another account: sign out, and open the link again.")
        )
    if user is None and not opens(me):
        raise BadInput(_("You have an account here: sign in with it, and open the link again."))
    return enrolments.checked(me, me.role)


def opens(me: Enrolment) -> bool:
    """Return whether the id alone signs in: to an account made by it, which leads to nothing else.

    An id is no secret. Accounts that an operator made have no password either before their owner chose one,
    and a reader may have become something else since.
    """
    user = me.user
    if user is None or not user.username.startswith(MADE) or user.has_usable_password():
        return False
    may_more = user.is_staff or user.is_superuser or user.user_permissions.exists()
    return me.role == Role.ANNOTATOR and not may_more and user.enrolments.count() == 1


def missing(service: RecruitingService) -> str:
    """Return what to tell whoever comes without an id."""
    said = _(
        "This link needs the id that your recruiting service adds to it ({parameter}): "
        "open it from the service’s own page."
    )
    return said.format(parameter=service.parameter)

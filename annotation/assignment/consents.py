"""Consent: what readers agree to before their first item, by version. A new version is asked for again."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Consent, Enrolment, Event, Role
from common.errors import BadInput


def consent_to_ask(me: Enrolment) -> Consent | None:
    """Return the consent this reader must give before the next item, or None. Programs are not asked."""
    return not_given(me, me.study.latest_consent()) if is_asked(me) else None


def is_asked(me: Enrolment) -> bool:
    """Return whether this is somebody who is asked to consent at all."""
    return me.role == Role.ANNOTATOR and not me.simulated


def not_given(me: Enrolment, latest: Consent | None) -> Consent | None:
    """Return the latest consent where this reader is asked for it and has not given it; else None."""
    given = latest is None or latest.version == me.consent_version
    return None if given or not is_asked(me) else latest


def agree(me: Enrolment, version: int, *, now: datetime) -> None:
    """Store that this reader agreed to that version. Raises `BadInput` if it is not the latest any more."""
    with transaction.atomic():
        latest = me.study.latest_consent()
        if latest is None or latest.version != version:
            raise BadInput(_("The text was changed while you read it: please read it again, as it is now."))
        same = Enrolment.objects.filter(pk=me.pk).exclude(consent_version=version)
        if not same.update(consent_version=version, consented=now):
            return
        me.consent_version, me.consented = version, now
        noted(me, "consent", version)


def decline(me: Enrolment, version: int) -> None:
    """Record that this reader does not agree. They get no item, and may change their mind."""
    noted(me, "no consent", version)


def noted(me: Enrolment, verb: str, version: int) -> None:
    """Record what this reader said about a version of the consent."""
    data = {"pseudonym": me.pseudonym, "version": version}
    Event.objects.create(study=me.study, actor_id=me.user_id, verb=verb, data=data)

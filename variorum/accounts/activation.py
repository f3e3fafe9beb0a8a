"""Disable accounts, and enable them again: old sessions, links and tokens stay ended."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.models import ApiToken, Event
from annotation.people.withdrawal import end_sessions


def disable(user: User) -> None:
    """End everything this account could be used by. Its password goes too: sessions, sign-in links and
    keys are bound to it, so that none of them works again when the account does."""
    with transaction.atomic():
        user.is_active = False
        user.set_unusable_password()
        user.save(update_fields=["is_active", "password"])
        ApiToken.objects.filter(user=user, revoked=None).update(revoked=timezone.now())
        Event.objects.create(actor=user, verb="disabled")
    end_sessions(user.pk)


def enable(user: User) -> None:
    """Let the account be used again, by a new sign-in link or a new password."""
    with transaction.atomic():
        user.is_active = True
        user.save(update_fields=["is_active"])
        Event.objects.create(actor=user, verb="enabled")

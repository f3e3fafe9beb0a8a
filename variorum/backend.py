"""Load the signed-in person and their preferences in one query: every page needs both."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField
from django.utils import timezone

from common.composed import Composed, Given

SIGNED_IN = Composed(lambda: User.objects.select_related("preferences").filter(pk=Given("pk")))
VALID = Composed(
    lambda: Session.objects.filter(
        pk=Given("key", CharField()), expire_date__gt=Given("now", DateTimeField())
    )
)


class Backend(ModelBackend):
    """Django's own, but for the preferences that come with the person."""

    def get_user(self, user_id: int) -> User | None:
        user = SIGNED_IN.first(pk=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


class SessionStore(db.SessionStore):
    """Django's own, but for how a session that is there is found."""

    def load(self) -> dict[str, Any]:
        found = VALID.first(key=self.session_key, now=timezone.now())
        return super().load() if found is None else self.decode(found.session_data)

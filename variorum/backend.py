"""Who is signed in, with how they like to read, in one query: every page needs both."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User

from common.composed import Composed, Given

SIGNED_IN = Composed(lambda: User.objects.select_related("preferences").filter(pk=Given("pk")))


class Backend(ModelBackend):
    """Django's own, but for the preferences that come with the person."""

    def get_user(self, user_id: int) -> User | None:
        user = SIGNED_IN.first(pk=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

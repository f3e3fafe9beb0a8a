"""Load the signed-in person and their preferences in one query, and what they may do in another."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField, Model, Q, QuerySet
from django.utils import timezone

from common.composed import Composed, Given

SIGNED_IN = Composed(lambda: User.objects.select_related("preferences").filter(pk=Given("pk")))
VALID = Composed(
    lambda: Session.objects.filter(
        pk=Given("key", CharField()), expire_date__gt=Given("now", DateTimeField())
    )
)


def permissions() -> QuerySet[Permission]:
    """Compose the permissions that somebody has, by themselves and by their groups."""
    own = User.user_permissions.through.objects.filter(user=Given("pk"))
    groups = User.groups.through.objects.filter(user=Given("pk"))
    of_groups = Group.permissions.through.objects.filter(group__in=groups.values("group"))
    each = Q(pk__in=own.values("permission")) | Q(pk__in=of_groups.values("permission"))
    return Permission.objects.select_related("content_type").filter(each).order_by()


PERMISSIONS = Composed(permissions)


class Backend(ModelBackend):
    """Django's own, but for the preferences that come with the person, and for permissions, which it asks for
    in two queries: every page of a scholar needs them.
    """

    def get_user(self, user_id: int) -> User | None:
        user = SIGNED_IN.first(pk=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Model | None = None) -> set[str]:  # type: ignore[override]
        has_some = user_obj.is_active and isinstance(user_obj, User) and not user_obj.is_superuser
        if has_some and not hasattr(user_obj, "_perm_cache"):
            found = PERMISSIONS(pk=user_obj.pk)
            user_obj._perm_cache = {f"{each.content_type.app_label}.{each.codename}" for each in found}
        return super().get_all_permissions(user_obj, obj)


class SessionStore(db.SessionStore):
    """Django's own, but for how a session that is there is found."""

    def load(self) -> dict[str, Any]:
        found = VALID.first(key=self.session_key, now=timezone.now())
        return super().load() if found is None else self.decode(found.session_data)

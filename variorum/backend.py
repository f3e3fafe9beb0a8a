"""Load the signed-in person and their preferences with their session, and what they may do in one query."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.middleware import AuthenticationMiddleware, get_user
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from common.composed import Composed, Given, together

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

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Model | None = None) -> set[str]:
        has_some = isinstance(user_obj, User) and user_obj.is_active and not user_obj.is_superuser
        if has_some and not hasattr(user_obj, "_perm_cache"):
            found = PERMISSIONS(pk=user_obj.pk)
            known = {f"{each.content_type.app_label}.{each.codename}" for each in found}
            setattr(user_obj, "_perm_cache", known)  # noqa: B010 - where Django looks for them
        return super().get_all_permissions(user_obj, obj)


MOST_KNOWN = 2000
_whose: dict[str, int] = {}
"""Whose a session was when this process saw it last. The session alone says whose it is; this only says who
may be asked for beside it."""


class SessionStore(db.SessionStore):
    """Django's own, but for how a session that is there is found.

    person: whose it may be, as they were when it was loaded; None where this process did not know.
    """

    person: User | None = None

    def load(self) -> dict[str, Any]:
        asked = [VALID.asked(key=self.session_key, now=timezone.now())]
        known = _whose.get(self.session_key or "")
        if known is not None:
            asked.append(SIGNED_IN.asked(pk=known))
        found, *people = together(*asked)
        if not found:
            return super().load()
        data = self.decode(found[0].session_data)
        self.person = next(chain.from_iterable(people), None)
        self._remember(data)
        return data

    def _remember(self, data: dict[str, Any]) -> None:
        if SESSION_KEY not in data or self.session_key is None:
            return
        if self.session_key not in _whose and len(_whose) >= MOST_KNOWN:
            _whose.clear()
        _whose[self.session_key] = int(data[SESSION_KEY])


class Authentication(AuthenticationMiddleware):
    """Django's own, but for a person who came with their session: they are not asked for again."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_person_of, request))  # type: ignore[assignment]


def _person_of(request: Any) -> User | AnonymousUser:
    if not hasattr(request, "_cached_user") and is_without_doubt(request.session):
        request._cached_user = request.session.person  # where Django looks for them
    return get_user(request)


def is_without_doubt(session: Any) -> bool:
    """Return whether Django would find that the session is its `person`'s, and leave it as it is. Where it is
    not, or is to be made anew, that is Django's to say.
    """
    whose, person = session.get(SESSION_KEY), session.person
    return bool(
        person
        and person.is_active
        and whose == str(person.pk)
        and session.get(BACKEND_SESSION_KEY) == f"{Backend.__module__}.{Backend.__qualname__}"
        and constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())
    )

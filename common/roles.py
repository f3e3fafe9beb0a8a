"""Who may see the texts and what was computed from them: these pages hold the gold.

Scholars (researchers and staff) read; staff import, launch, cancel and retry.
Everybody else gets the answer that an unknown address gets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

Visitor = User | AnonymousUser
Reply = TypeVar("Reply", bound=HttpResponseBase)


def me(request: HttpRequest) -> User:
    """Return the person who asks, in views that only signed-in people reach."""
    assert isinstance(request.user, User)  # noqa: S101
    return request.user


def is_scholar(user: Visitor) -> bool:
    """Return whether the user may read books, sources, excerpts and jobs."""
    return bool(user.is_active and (user.is_staff or user.has_perm("retrieval.view_book")))


def is_librarian(user: Visitor) -> bool:
    """Return whether the user may import texts and launch, cancel and retry jobs."""
    return bool(user.is_active and user.is_staff)


def scholar_required(view: Callable[..., Reply]) -> Callable[..., HttpResponse | Reply]:
    """Decorate a view for scholars: signed-out people are led to the sign-in page, others get a 404."""
    return _only(is_scholar, view)


def staff_required(view: Callable[..., Reply]) -> Callable[..., HttpResponse | Reply]:
    """Decorate a view for staff, in the same way as `scholar_required`."""
    return _only(is_librarian, view)


def _only(
    allowed: Callable[[Visitor], bool], view: Callable[..., Reply]
) -> Callable[..., HttpResponse | Reply]:
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse | Reply:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not allowed(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded

"""Who came in, who was refused, and what was taken away: written in the record beside what people do there.

Of somebody who is not signed in only a failed sign-in is recorded, under the account that was tried where
there is one: what was typed in place of a name may be a password. No address of a machine is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import DatabaseError
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from annotation.access import studies_for
from annotation.models import Event, Study

logger = logging.getLogger(__name__)

Next = Callable[[HttpRequest], HttpResponseBase]
ONCE_IN = timedelta(hours=1)
"""What one person is refused or takes away again and again at one place is written once in this time."""
ATTACHED = "attachment"
REFUSALS = {403, 404, 429}
METHODS = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}


@receiver(user_logged_in)
def record_sign_in(sender: Any, request: HttpRequest, user: User, **_: Any) -> None:
    """Record that somebody signed in, and by which page."""
    Event.objects.create(actor=user, verb="sign in", data={"at": place(request)})


@receiver(user_logged_out)
def record_sign_out(sender: Any, request: HttpRequest, user: User | None, **_: Any) -> None:
    """Record that somebody signed out; not where they withdrew just before, and are nobody any more."""
    if is_there(user):
        Event.objects.create(actor=user, verb="sign out")


@receiver(user_login_failed)
def record_failure(sender: Any, credentials: dict[str, Any], **_: Any) -> None:
    """Record a wrong password or name, under the account that was tried where there is one."""
    Event.objects.create(actor=tried(credentials.get("username", "")), verb="sign in failed")


def record_limit(name: str) -> None:
    """Record that a password was tried too often, once an hour for an account."""
    write_once(tried(name), "limit", None, at="login")


def is_there(user: object) -> bool:
    """Return whether this is somebody's account, and still is."""
    return isinstance(user, User) and User.objects.filter(pk=user.pk).exists()


def tried(name: object) -> User | None:
    """Return the account of that name; None without one."""
    return User.objects.filter(username=str(name)[:150].replace("\0", "")).first()


def record_refusals_and_downloads(get_response: Next) -> Next:
    """Record a refusal of somebody who is signed in, and each file that leaves."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code in REFUSALS or response.get("Content-Disposition", "").startswith(ATTACHED):
            try:
                record_reply(request, response)
            except DatabaseError:
                # The reply is right without it, and says itself what is wrong with the database.
                logger.exception("A refusal or download could not be recorded")
        return response

    return middleware


def record_reply(request: HttpRequest, response: HttpResponseBase) -> None:
    """Record a reply that refuses, or that holds a file."""
    user = request.user
    if not isinstance(user, User) or not is_there(user):
        return
    study = study_of(request)
    # A method is a word of the sender's, who could write what they like in the record by it, again and again.
    said = {"at": place(request), "method": request.method if request.method in METHODS else "other"}
    if response.status_code < 300:
        if request.method == "GET":  # what is asked for by POST is an export, and records itself
            write_once(user, "download", study, **said)
    elif response.status_code == 429:
        write_once(user, "limit", study, **said)
    elif response.status_code == 403 or (study is not None and not may_direct(user, study)):
        write_once(user, "refused", study, **said)


def place(request: HttpRequest) -> str:
    """Return the name of the page or route that was asked; empty where there is none."""
    match = request.resolver_match
    return match.view_name or "" if match else ""


def study_of(request: HttpRequest) -> Study | None:
    """Return the study that the address names; None where it names none, or one that is not there."""
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match else None
    if match is None or slug is None or (match.namespaces or [""])[0] not in STUDIES:
        return None
    return Study.objects.filter(slug=slug).first()


STUDIES = {"annotation", "evaluation", "api"}
"""Namespaces whose addresses name studies by their `slug`."""


def may_direct(user: User, study: Study) -> bool:
    """Return whether nothing of the study is refused to this person: what they miss is not there."""
    return studies_for(user).filter(pk=study.pk).exists()


def write_once(actor: User | None, verb: str, study: Study | None, **said: Any) -> None:
    """Write an event, unless the same was written within the hour."""
    same = Event.objects.filter(actor=actor, verb=verb, study=study, created__gt=timezone.now() - ONCE_IN)
    if not same.filter(**{f"data__{name}": value for name, value in said.items()}).exists():
        Event.objects.create(actor=actor, verb=verb, study=study, data=said)

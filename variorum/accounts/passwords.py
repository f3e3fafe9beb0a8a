"""Passwords: the first one, another one for the old one, or a new one for a forgotten one.

Who has none yet may choose the first while signed in: there is no old one to ask for, and the link they came
by is used up. Who has one is asked for it, however they signed in. Who forgot it needs a link of its own
kind, `/password/new/#CODE`, which works for an hour, and is used up when the new password is saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.models import Event
from annotation.reading.pending_answer import restore
from common.link_codes import bring, code_of
from common.roles import me
from variorum.accounts import links, throttle
from variorum.accounts.link_page import ended, waiting
from variorum.models import LinkKind, SignInLink

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

LABELS: dict[str, tuple[_StrOrPromise, _StrOrPromise]] = {
    "old_password": (gettext_lazy("Your password as it is now"), ""),
    "new_password1": (
        gettext_lazy("New password"),
        gettext_lazy("At least 10 characters, and not one of the common ones."),
    ),
    "new_password2": (gettext_lazy("The same password again"), ""),
}
Form: TypeAlias = "SetPasswordForm[User]"


@sensitive_post_parameters()
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Show the form; store the new password, with which only this browser stays signed in."""
    user = me(request)
    asks_old = user.has_usable_password()
    kind = PasswordChangeForm if asks_old else SetPasswordForm
    if request.method != "POST":
        return page(request, labelled_form(kind(user)))
    form = labelled_form(kind(user, request.POST))
    try:
        valid = check_form(request, form) if asks_old else form.is_valid()
    except throttle.TooMany as error:
        return page(request, labelled_form(kind(user)), refused=str(error))
    return changed(request, form) if valid else page(request, form)


def check_form(request: HttpRequest, form: Form) -> bool:
    """Return whether the form is right. Wrong old passwords count as when signing in: raises `TooMany`."""
    tried = throttle.begin(form.user.username, throttle.address_of(request), timezone.now())
    valid = form.is_valid()
    if "old_password" not in form.errors:
        throttle.forgive(tried)
    return valid


def page(request: HttpRequest, form: Form, refused: str = "") -> HttpResponse:
    """Show the form: 429 where too many tries were made, 422 where it is wrong."""
    context = {"form": form, "refused": refused, "first": not form.user.has_usable_password()}
    status = 429 if refused else 422 if form.is_bound else 200
    return render(request, "registration/password.html", context, status=status)


def changed(request: HttpRequest, form: Form) -> HttpResponse:
    """Store the new password and keep this browser signed in."""
    user = form.save()
    update_session_auth_hash(request, user)
    Event.objects.create(actor=user, verb="password")
    said = _("Your password is set: sign in as {name} with it from now on.")
    messages.success(request, said.format(name=user.username))
    return redirect("home")


def labelled_form(form: Form) -> Form:
    """Return the form with the labels and the help that the rest of the site has."""
    for name, field in form.fields.items():
        field.label, field.help_text = LABELS[name]
    return form


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(request: HttpRequest) -> HttpResponse:
    """Take the code of a link for a new password, and lead to its form."""
    if request.method != "POST":
        return waiting(request, _("Choose a new password"), "new_password")
    link = links.find(code_of(request.POST.get("token", "")), LinkKind.PASSWORD)
    if link is None:
        return ended(request, "new_password")
    bring(request, links.BROUGHT, link.pk)
    return redirect("new_password_by", link.pk)


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_password_by(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form without the old password; then store the new one."""
    link, press = links.link_brought(request, pk, LinkKind.PASSWORD), request.POST.get("press", "")
    if link is None:
        return redirect("new_password")
    form = labelled_form(SetPasswordForm(link.user, request.POST if press else None))
    if form.is_valid():
        return saved_by(request, link, form, press)
    if not links.is_open(link, timezone.now()):
        return ended(request, "new_password")
    context = {"form": form, "link": link, "press": links.new_press()}
    status = 422 if form.is_bound else 200
    return render(request, "registration/new_password.html", context, status=status)


def saved_by(request: HttpRequest, link: SignInLink, form: Form, press: str) -> HttpResponse:
    """Use the link up for the password. Nobody who is signed in as somebody else is signed out by it."""
    user, now = link.user, timezone.now()
    with transaction.atomic():
        first = links.use(link, press, now)
        if first:
            form.save()
            links.bind_again(link)
            Event.objects.create(actor=user, verb="password")
    if not first and not links.pressed_twice(link, press, now):
        return ended(request, "new_password")
    if request.user.is_authenticated and request.user.pk != user.pk:
        said = _("The password of {name} is set. You are still signed in as {own}.")
        messages.success(request, said.format(name=user.username, own=me(request).username))
        return redirect("home")
    if request.user.is_authenticated:
        update_session_auth_hash(request, user)
    else:
        login(request, user)
        restore(request)
    said = _("Your password is set: sign in as {name} with it from now on.")
    messages.success(request, said.format(name=user.username))
    return redirect("home")

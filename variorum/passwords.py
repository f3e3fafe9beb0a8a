"""A password of one's own: set by whoever came by a link, changed by whoever knows the old one.

A sign-in link is how a forgotten password is mended: it lets its person choose another without the old one.
"""

from __future__ import annotations

from typing import TypeAlias

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.models import Event
from retrieval.roles import me
from variorum import throttle
from variorum.signin import BY_LINK

LABELS = {
    "old_password": ("Your password as it is now", ""),
    "new_password1": ("New password", "At least 10 characters, and not one of the common ones."),
    "new_password2": ("The same password again", ""),
}
Form: TypeAlias = "SetPasswordForm[User]"


@sensitive_post_parameters()
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """The form; then the new password, with which only this browser stays signed in."""
    user = me(request)
    asks_old = user.has_usable_password() and BY_LINK not in request.session
    kind = PasswordChangeForm if asks_old else SetPasswordForm
    if request.method != "POST":
        return page(request, worded(kind(user)))
    form = worded(kind(user, request.POST))
    try:
        valid = looked_at(request, form) if asks_old else form.is_valid()
    except throttle.TooMany as error:
        return page(request, worded(kind(user)), refused=str(error))
    return changed(request, form) if valid else page(request, form)


def looked_at(request: HttpRequest, form: Form) -> bool:
    """Whether the form is right. Wrong old passwords count as they do when signing in: raises `TooMany`."""
    tried = throttle.begin(form.user.username, throttle.address_of(request), timezone.now())
    valid = form.is_valid()
    if "old_password" not in form.errors:
        throttle.forgive(tried)
    return valid


def page(request: HttpRequest, form: Form, refused: str = "") -> HttpResponse:
    context = {"form": form, "refused": refused, "first": not form.user.has_usable_password()}
    status = 429 if refused else 422 if form.is_bound else 200
    return render(request, "registration/password.html", context, status=status)


def changed(request: HttpRequest, form: Form) -> HttpResponse:
    user = form.save()
    update_session_auth_hash(request, user)
    request.session.pop(BY_LINK, None)
    Event.objects.create(actor=user, verb="password")
    messages.success(request, f"Your password is set: sign in as {user.username} with it from now on.")
    return redirect("home")


def worded(form: Form) -> Form:
    """The form with the labels and the help that the rest of the site has."""
    for name, field in form.fields.items():
        field.label, field.help_text = LABELS[name]
    return form

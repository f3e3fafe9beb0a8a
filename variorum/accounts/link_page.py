"""A sign-in link, `/signin/#CODE`: its page says whom it signs in, and has one button."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from annotation.reading.pending_answer import restore
from common.link_codes import bring, code_of
from variorum.accounts import links
from variorum.models import LinkKind, SignInLink


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signin(request: HttpRequest) -> HttpResponse:
    """Take the code of a link, from the address by a script or pasted, and lead to its page."""
    if request.method != "POST":
        return waiting(request, _("Sign in by link"), "signin")
    link = links.find(code_of(request.POST.get("token", "")), *links.kinds_here(request))
    if link is None:
        return ended(request, "signin")
    bring(request, links.BROUGHT, link.pk)
    return redirect("signin_by", link.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def signin_by(request: HttpRequest, pk: int) -> HttpResponse:
    """Say who the link is for, and sign in when the button is pressed."""
    link, now = links.link_brought(request, pk, *links.kinds_here(request)), timezone.now()
    if link is None:
        return redirect("signin")
    if request.user.pk == link.user_id:
        return redirect("home")
    press = request.POST.get("press", "")
    # The page may have been shown before somebody else signed in here, in another tab.
    asked = request.POST.get("leaving", "") == str(request.user.pk or "")
    if press and asked:
        used = links.use(link, press, now) or links.pressed_twice(link, press, now)
        return entered(request, link) if used else ended(request, "signin")
    if not links.is_open(link, now):
        return ended(request, "signin")
    context = {"link": link, "press": links.new_press()}
    return render(request, "registration/signin_link.html", context)


@never_cache
@require_safe
def signin_by_path(request: HttpRequest, token: str) -> HttpResponse:
    """Refuse links of an earlier form, with the secret in the path: it may stand in a log."""
    return ended(request, "signin")


def waiting(request: HttpRequest, title: str, name: str) -> HttpResponse:
    """Show the page that waits for a code: a script takes it from the address, or it is pasted."""
    return render(request, "registration/link.html", {"title": title, "link_to": reverse(name)})


def ended(request: HttpRequest, name: str) -> HttpResponse:
    """Answer everything that is wrong with a link in the same way."""
    context = {"new_password": name == "new_password", "link_to": reverse(name)}
    return render(request, "registration/signin_ended.html", context, status=403)


def entered(request: HttpRequest, link: SignInLink) -> HttpResponse:
    """Sign the person in; who has no password yet is asked for one next, since the link is used up."""
    left = request.user.is_authenticated
    login(request, link.user)
    restore(request)
    at_home = link.user.has_usable_password() or link.kind == LinkKind.DEMO
    response = redirect("home" if at_home else "password")
    if left and "others" not in request.POST:
        # As when they sign out: nothing of their work stays for whoever is here now.
        response["Clear-Site-Data"] = '"storage"'
    return response

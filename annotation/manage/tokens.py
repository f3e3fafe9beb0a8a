"""Keys for scripts: anybody's own, shown once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.manage.forms.studies import TokenForm
from annotation.manage.frame import me, reads_or_posts, require_POST
from annotation.models import ApiToken
from annotation.people.tokens import SCOPES, issue

SHOWN = 50


@reads_or_posts
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """Show this person's keys and make new ones. A new key is shown in this one reply, and never again."""
    form = TokenForm(request.POST or None, user=me(request))
    made, plain = None, ""
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        expires = timezone.now() + timedelta(days=said["days"])
        made, plain = issue(me(request), said["name"], said["scopes"], expires)
        form = TokenForm(user=me(request))
    context = {"form": form, "made": made, "plain": plain, "tokens": mine(request)}
    refused = request.method == "POST" and not made
    return render(request, "annotation/manage/tokens.html", context, status=422 if refused else 200)


def mine(request: HttpRequest) -> list[dict[str, Any]]:
    """Return this person's latest keys, each with what it may do and whether it still works."""
    now = timezone.now()
    rows = ApiToken.objects.filter(user=me(request)).order_by("-pk")[:SHOWN]
    return [
        {
            "token": row,
            "may": [SCOPES.get(scope, scope) for scope in row.scopes],
            "state": "Revoked" if row.revoked else "Expired" if row.expires <= now else "Valid",
        }
        for row in rows
    ]


@require_POST
@login_required
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """End a key at once. Somebody else's is a 404."""
    token = get_object_or_404(ApiToken, pk=pk, user=me(request))
    if ApiToken.objects.filter(pk=token.pk, revoked=None).update(revoked=timezone.now()):
        messages.success(request, f"The key “{token.name}” is revoked: nothing can be done with it any more.")
    return redirect("annotation:tokens")

"""E-mail of a study: what is written of, by which words, and what has to be sent by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.mail import by_hand, inviting, wording
from annotation.mail.forms import AddressesForm, TemplateForm
from annotation.mail.wording import Words
from annotation.manage.frame import frame, me, reads_or_posts, researcher_of_study
from annotation.models import Event, Letter, MailKind, MailTemplate, State, Study
from common.errors import BadInput
from common.wording import counted

EXAMPLE = "/studies/example/begin/"
SHOWN = 200
"""Invitations that are listed at most."""


class KindRow(NamedTuple):
    """One kind of e-mail on the page: its template, and how many were sent and wait."""

    template: MailTemplate
    sent: int
    waiting: int


@reads_or_posts
@researcher_of_study
def mail(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what is written to readers and what has to be sent by hand; invite, send again, mark as told."""
    inviting_now = request.POST.get("act") == "invite"
    form = AddressesForm(request.POST if inviting_now else None)
    status = 200
    if request.method == "POST":
        try:
            if not inviting_now:
                messages.success(request, settled(request, study))
                return redirect("annotation:mail", study.slug)
            if form.is_valid():
                messages.success(request, invited(study, form, by=me(request)))
                return redirect("annotation:mail", study.slug)
        except BadInput as error:
            form.add_error(None, str(error)) if inviting_now else messages.error(request, str(error))
        status = 422
    now = timezone.now()
    site = settings.SITE or request.build_absolute_uri("/").rstrip("/")
    context = frame(
        study,
        "mail",
        form=form,
        kinds=kinds(study),
        rows=[(each, site + each.path) for each in by_hand.by_hand(study, now)],
        open_letters=open_letters(study, now),
        is_sent=settings.MAIL_IS_SENT,
        has_site=bool(settings.SITE),
        may_invite=study.state != State.CLOSED,
    )
    return render(request, "annotation/manage/recruiting/mail.html", context, status=status)


def kinds(study: Study) -> list[KindRow]:
    """Return all kinds of e-mail, with how many letters were sent, and wait to be."""
    sent, waits = Count("pk", filter=Q(sent__isnull=False)), Count("pk", filter=Q(sent=None, problem=""))
    rows = study.letters.order_by().values_list("kind").annotate(n_sent=sent, n_waits=waits)
    found = {kind: (n, waiting) for kind, n, waiting in rows}
    return [KindRow(wording.of(study, kind), *found.get(kind, (0, 0))) for kind in wording.OWN]


def open_letters(study: Study, now: datetime) -> list[Letter]:
    """Return the invitations by e-mail by which somebody can still join, the latest first.

    One whose message was not sent is withdrawn with it.
    """
    valid = Q(invitation__revoked=None, invitation__expires__gt=now, invitation__used=0)
    found = study.letters.filter(valid, kind=MailKind.INVITED).select_related("invitation")
    return list(found.order_by("-pk")[:SHOWN])


def settled(request: HttpRequest, study: Study) -> str:
    """Do what a button of the list says, and return it in words. Raises `BadInput`."""
    act, key = request.POST.get("act", ""), request.POST.get("key", "")
    if act == "told":
        by_hand.told(study, key, timezone.now())
        return "Noted: they have been told."
    if act == "again":
        by_hand.try_again(study, key, timezone.now())
        return "It is sent again with the next letters."
    raise BadInput("Nothing was done: use one of the buttons.")


def invited(study: Study, form: AddressesForm, *, by: User) -> str:
    """Invite the addresses of the form, and return in words what became of them. Raises `BadInput`."""
    said = form.cleaned_data
    found = inviting.invite_all(
        study,
        said["addresses"],
        days=said["days"],
        by=by,
        now=timezone.now(),
        language=said["language"] or "en",
    )
    way = "is sent by e-mail" if settings.MAIL_IS_SENT else "stands below, to be sent by hand"
    parts = [f"{counted(found.new, 'link')} made: each {way}." if found.new else "No link was made."]
    if found.before:
        parts.append(f"{found.before} of the addresses had a valid link already.")
    if found.unwanted:
        parts.append(f"{found.unwanted} of them want no e-mail of this study.")
    return " ".join(parts)


@reads_or_posts
@researcher_of_study
def mail_template(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Show the words of one kind with a preview; store them, and whether it is sent."""
    if kind not in wording.OWN:
        raise Http404
    template = wording.of(study, kind)
    form = TemplateForm(request.POST or None, template=template)
    shown = Words(template.subject, template.text)
    if request.method == "POST" and form.is_valid():
        shown = Words(form.cleaned_data["subject"], form.cleaned_data["text"])
        if "preview" not in request.POST:
            keep(study, template, form.cleaned_data, by=me(request))
            messages.success(request, f"{MailKind(kind).label}: saved.")
            return redirect("annotation:mail", study.slug)
    site = settings.SITE or request.build_absolute_uri("/").rstrip("/")
    previews = in_each_language(study, template, shown, site)
    context = frame(study, "mail", form=form, template=template, previews=previews)
    status = 422 if form.errors else 200
    return render(request, "annotation/manage/recruiting/mail_template.html", context, status=status)


def in_each_language(
    study: Study, template: MailTemplate, shown: Words, site: str
) -> list[tuple[str, str, Words]]:
    """Return the message as it is read in each language, with its code and name; one, where the words are the
    researcher's own.
    """
    link, stop = site + EXAMPLE, f"{site}/mail/stop/…/"
    template.subject, template.text = shown
    found: list[tuple[str, str, Words]] = []
    for code, name in settings.LANGUAGES:
        said = wording.in_language(template, code)
        if not found or said != shown:
            found.append((code, name, wording.filled(said, study, link, stop, code)))
    return found


def keep(study: Study, template: MailTemplate, said: dict[str, Any], *, by: User) -> None:
    """Store a template; what is switched on now is written of what happens from now on."""
    template.subject, template.text = said["subject"], said["text"]
    template.days = said.get("days", template.days)
    if not said.get("on"):
        template.since = None
    elif template.since is None:
        template.since = timezone.now()
    with transaction.atomic():
        template.save()
        data = {"kind": template.kind, "on": template.since is not None}
        Event.objects.create(study=study, actor=by, verb="mail", data=data)

"""Webhooks of a study on a page: who is told what, what became of each message; new ones, tests, ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.manage.frame import frame, me, reads_or_posts, require_POST, researcher_of_study
from annotation.models import Delivery, HookEvent, Study, Webhook
from annotation.webhooks import hooks, receivers
from common.errors import BadInput
from retrieval.models import Status

SHOWN = 50
"""Messages on the page: the latest."""
KINDS = {Status.DONE: "ok", Status.FAILED: "bad"}


class WebhookForm(forms.Form):
    """Have a receiver of the settings told."""

    receiver = forms.ChoiceField(
        label="Receiver", help_text="Whoever runs this site has named them, each with its address."
    )
    events = forms.MultipleChoiceField(
        label="Is told when", choices=HookEvent.choices, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: Any = None, *, study: Study) -> None:
        super().__init__(data)
        told = set(study.webhooks.filter(ended=None).values_list("receiver", flat=True))
        free = sorted(set(receivers.known().receivers) - told)
        self.fields["receiver"] = forms.ChoiceField(
            label="Receiver",
            choices=[(name, name) for name in free],
            help_text=self.fields["receiver"].help_text,
        )
        self.any_free = bool(free)


@reads_or_posts
@researcher_of_study
def webhooks(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the webhooks with their latest messages, and the form for a new one; add one."""
    form = WebhookForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        try:
            made = hooks.add(study, **form.cleaned_data, by=me(request))
        except BadInput as error:
            form.add_error("receiver", str(error))
        else:
            messages.success(request, f"{made.receiver} is told from now on. Send a test to see it arrive.")
            return redirect("annotation:webhooks", study.slug)
    context = frame(
        study,
        "webhooks",
        form=form,
        hooks=[row(each) for each in study.webhooks.order_by("-pk")],
        deliveries=latest(study),
        allowed=bool(settings.WEBHOOKS),
    )
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/webhooks.html", context, status=status)


def row(hook: Webhook) -> dict[str, Any]:
    """Return a webhook as the page shows it, with how many of its messages wait or were given up."""
    sent = hooks.deliveries(hook)
    return {
        "hook": hook,
        "events": [HookEvent(name).label for name in hook.events],
        "waiting": sent.filter(status__in=(Status.QUEUED, Status.RUNNING)).count(),
        "failed": sent.filter(status=Status.FAILED).count(),
    }


def latest(study: Study) -> list[tuple[Delivery, str]]:
    """Return the latest messages of all webhooks, each with the kind of its badge."""
    found = [
        each
        for hook in study.webhooks.all()
        for each in hooks.deliveries(hook).select_related("hook", "item").order_by("-pk")[:SHOWN]
    ]
    found.sort(key=lambda each: -each.pk)
    return [(each, KINDS.get(Status(each.status), "")) for each in found[:SHOWN]]


@require_POST
@researcher_of_study
def end(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Tell a receiver nothing more."""
    hook = get_object_or_404(study.webhooks, pk=pk)
    hooks.end(hook, by=me(request))
    messages.success(request, f"{hook.receiver} is told nothing any more.")
    return redirect("annotation:webhooks", study.slug)


@require_POST
@researcher_of_study
def send_test(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Send a receiver a message that tells nothing."""
    hook = get_object_or_404(study.webhooks, pk=pk)
    done = f"A test is on its way to {hook.receiver}: what becomes of it stands below."
    return acted(request, study, lambda: hooks.send_test(hook, by=me(request)), done)


@require_POST
@researcher_of_study
def resend(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Try a message again that was given up."""
    message = get_object_or_404(Delivery.objects.select_related("hook"), pk=pk, hook__study=study)
    done = "The message is on its way again."
    return acted(request, study, lambda: hooks.resend(message.hook, message), done)


def acted(request: HttpRequest, study: Study, act: Callable[[], object], done: str) -> HttpResponse:
    """Do it, and say what was done or why it cannot be."""
    try:
        act()
    except BadInput as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("annotation:webhooks", study.slug)

"""What researchers do with the webhooks of a study, by page and by API: add, test, end, send again."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Delivery, Event, Study, Webhook
from annotation.models.webhooks import TEST
from annotation.webhooks import receivers
from annotation.webhooks.announcing import stored
from common.errors import BadInput
from retrieval.jobs import queue


def add(study: Study, receiver: str, events: Sequence[str], *, by: User) -> Webhook:
    """Have a receiver told from now on.

    Raises BadField for a receiver that the settings do not name, BadInput for one that is told already.
    """
    receivers.find(receiver)
    try:
        with transaction.atomic():
            made = Webhook.objects.create(study=study, receiver=receiver, events=list(events), created_by=by)
            _record("webhook", made, by)
    except IntegrityError:
        raise BadInput(f"{receiver} is told already: end that webhook first.") from None
    return made


def end(hook: Webhook, *, by: User) -> bool:
    """Tell a receiver nothing more, not even what waits; return whether it was told until now."""
    with transaction.atomic():
        ended = Webhook.objects.filter(pk=hook.pk, ended=None).update(ended=timezone.now())
        if ended:
            _record("end webhook", hook, by)
    return bool(ended)


def send_test(hook: Webhook, *, by: User) -> Delivery:
    """Send a message that tells nothing, to see whether it arrives. Raises BadInput where it has ended."""
    if hook.ended is not None:
        raise BadInput("The webhook has ended: nothing is sent to its receiver.")
    with transaction.atomic():
        made = stored(hook, TEST, None, {"study": hook.study.slug})
        _record("test webhook", hook, by)
    return made


def resend(hook: Webhook, message: Delivery) -> None:
    """Try a message again that was given up. Raises BadInput where it was not, or the webhook has ended."""
    with transaction.atomic():
        if hook.ended is not None or not queue.retry(message.pk, Delivery):
            raise BadInput("It has not been given up, or its webhook has ended.")
        Delivery.objects.filter(pk=message.pk).update(tries=0)


def deliveries(hook: Webhook) -> QuerySet[Delivery]:
    """Return the messages that a receiver gets: those of what it is told of, and tests."""
    return hook.deliveries.filter(event__in=[*hook.events, TEST])


def _record(verb: str, hook: Webhook, by: User) -> None:
    """Write in the study's record what was done about a webhook."""
    data = {"webhook": hook.pk, "receiver": hook.receiver, "events": hook.events}
    Event.objects.create(study=hook.study, actor=by, verb=verb, data=data)

"""A message sent: signed as Standard Webhooks has it, to an address of the settings, within a deadline.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import httpx2
from django.utils import timezone

from annotation.models import Delivery, Webhook
from annotation.models.webhooks import TEST
from annotation.webhooks import announcing, receivers
from annotation.webhooks.receivers import Receiver
from common.errors import BadInput
from machines.client.deadline import Deadline, Transport
from retrieval.jobs import attempts
from retrieval.jobs.attempts import GoOn, Postponed, keep_going
from retrieval.models import Status

SECONDS = 15.0
"""For one try, from the connection to the status."""
WAITS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400)
"""Seconds after the first try, the second and so on; after the last of them nothing more is tried."""
GONE = 410


def attempt(pk: int, worker: str, *, go_on: GoOn = keep_going) -> bool:
    """Claim a message, send it and record what came of it, as `attempts.attempt` does."""
    return attempts.attempt(Delivery, pk, worker, run, go_on=go_on)


def run(job: Delivery, *, go_on: GoOn = keep_going) -> None:
    """Send a message that is wanted, after storing what follows from it.

    Raises:
        Postponed: it was not taken, or an earlier one for this receiver was not and is not due yet.
        BadInput: it was never taken, the receiver is gone, or the settings do not name it any more.
    """
    hook = Webhook.objects.select_related("study").get(pk=job.hook_id)
    job.hook = hook
    announcing.follow(job)
    if job.event not in (*hook.events, TEST) or hook.ended is not None or hook.study.deleted is not None:
        return
    wait_for_earlier(job)
    to = receivers.find(hook.receiver)
    status, problem = post(to, job, receivers.secret(to))
    tries = job.tries + 1
    attempts.heartbeat(job, keep_going, 0, tries=tries, answered=status)
    if status is not None and 200 <= status < 300:
        attempts.heartbeat(job, keep_going, 1)
        return
    if status == GONE:
        Webhook.objects.filter(pk=hook.pk, ended=None).update(ended=timezone.now())
        raise BadInput(f"{to.name} answered 410: it wants nothing more, and the webhook has ended.")
    if tries > len(WAITS):
        raise BadInput(f"{problem} Tried {tries} times.")
    raise Postponed(problem, WAITS[tries - 1])


def wait_for_earlier(job: Delivery) -> None:
    """Raise `Postponed` while an earlier message waits for this receiver: one that is away is tried once."""
    now = timezone.now()
    waiting = job.hook.deliveries.filter(pk__lt=job.pk, tries__gt=0, status=Status.QUEUED, not_before__gt=now)
    first = waiting.order_by("not_before").values_list("not_before", flat=True).first()
    if first is not None:
        raise Postponed("An earlier message has not been taken.", (first - now).total_seconds() + 1)


def post(to: Receiver, job: Delivery, secret: bytes) -> tuple[int | None, str]:
    """Send a message; return the status, None where none came, and what was wrong. The answer is not read."""
    body, deadline = written(job), Deadline()
    headers = signed(f"msg_{job.identifier.hex}", int(time.time()), body, secret)
    try:
        with (
            httpx2.Client(
                follow_redirects=False, trust_env=False, transport=Transport(deadline, 1)
            ) as client,
            deadline.within(SECONDS),
            client.stream("POST", to.url, content=body, headers=headers, timeout=SECONDS) as response,
        ):
            status = response.status_code
    except httpx2.HTTPError as error:
        return None, f"{to.name} did not answer: {type(error).__name__}."
    return status, f"{to.name} answered {status}."


def written(job: Delivery) -> bytes:
    """Return the body of a message: the same bytes at every try."""
    said = {"type": job.event, "timestamp": job.created.isoformat(), "data": job.data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()


def signed(identifier: str, seconds: int, body: bytes, secret: bytes) -> dict[str, str]:
    """Return the headers of a message.

    The signature is HMAC-SHA256 of `identifier.seconds.body`, in base64, behind `v1,`.
    """
    content = f"{identifier}.{seconds}.".encode() + body
    signature = base64.b64encode(hmac.new(secret, content, hashlib.sha256).digest()).decode()
    return {
        "Content-Type": "application/json",
        "User-Agent": "variorum",
        "webhook-id": identifier,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    }

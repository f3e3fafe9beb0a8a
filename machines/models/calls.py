"""Calls to models: the intent first, then what came of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from machines.models.budgets import Budget

LONGEST_REPLY = 256 * 2**10
"""Bytes of a reply that are kept, in UTF-8."""


class State(models.TextChoices):
    """How a call stands."""

    INTENT = "intent", "Reserved"
    """Nothing was sent yet, or what was sent was turned away unpaid and will be tried again."""
    SENT = "sent", "In flight"
    ANSWERED = "answered", "Answered"
    UNREADABLE = "unreadable", "Unreadable"
    """Answered and paid, and whoever asked could make no answer of it. The text is kept."""
    REFUSED = "refused", "Refused"
    """The endpoint does not take this request: too long, not allowed, not understood."""
    FAILED = "failed", "Failed"
    """Given up; it was not paid."""
    UNKNOWN = "unknown", "Unknown"
    """It broke off after it was sent. It may have been paid, and is charged as reserved."""


PENDING = (State.INTENT, State.SENT)
ANSWERED = (State.ANSWERED, State.UNREADABLE)


class Call(models.Model):
    """One call to a model. What was answered is never changed: a trigger refuses it.

    A thing is asked once: of the calls with one key, one is pending or answered at most.
    """

    key = models.CharField(max_length=64, help_text="sha256 of all that makes this the same question")
    state = models.CharField(max_length=10, choices=State.choices, default=State.INTENT)
    purpose = models.CharField(max_length=100, blank=True, help_text="What it was asked for, such as a job")
    budget = models.ForeignKey(
        Budget, on_delete=models.SET_NULL, null=True, blank=True, related_name="rows_of_calls"
    )

    endpoint = models.CharField(max_length=50, help_text="The endpoint's name")
    model = models.CharField(max_length=200, blank=True, help_text="As it was asked for")
    revision = models.CharField(max_length=200, blank=True, help_text="As the settings name it, or a sha256")
    parameters = models.JSONField(default=dict, help_text="Temperature, longest reply, further fields")
    seed = models.BigIntegerField(default=0)
    replicate = models.PositiveIntegerField(default=0)
    prompt_sha256 = models.CharField(max_length=64, help_text="Of the rendered messages")
    parser = models.CharField(max_length=100, blank=True, help_text="Version of what reads the reply")
    probed = models.DateTimeField(null=True, blank=True, help_text="The date of the endpoint's last probe")
    attempt = models.PositiveSmallIntegerField(default=1)

    text = models.TextField(blank=True, help_text="The reply as it was written, at most 256 KiB")
    finish = models.CharField(max_length=20, blank=True)
    probabilities = models.JSONField(default=dict, help_text="Of the choices, where they were told")
    model_echo = models.CharField(max_length=200, blank=True, help_text="As the endpoint echoed it")
    fingerprint = models.CharField(max_length=200, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of HTTP")
    problem = models.CharField(max_length=500, blank=True, help_text="What went wrong, without any key")

    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    reasoning_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(null=True, blank=True)
    tokens_reserved = models.BigIntegerField(default=0)
    reserved = models.BigIntegerField(default=0, help_text="Micro-units")
    price = models.BigIntegerField(null=True, blank=True, help_text="Micro-units; none until it has ended")
    prices = models.CharField(max_length=80, blank=True, help_text="The price list it was counted by")

    created = models.DateTimeField(auto_now_add=True)
    sent = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["key"],
                condition=Q(state__in=["intent", "sent", "answered", "unreadable"]),
                name="call_asked_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["key"], name="call_key"),
            models.Index(fields=["purpose", "id"], name="call_purpose"),
            models.Index(fields=["endpoint", "id"], name="call_endpoint"),
            models.Index(
                fields=["endpoint", "lease_until"],
                condition=Q(state__in=["intent", "sent"]),
                name="call_pending",
            ),
        ]

    def __str__(self) -> str:
        return f"Call {self.pk} of {self.endpoint}: {self.state}"

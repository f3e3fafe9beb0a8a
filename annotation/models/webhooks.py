"""Webhooks: which receiver is told of a study's progress, and what became of each message."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation.models.study import Study
from annotation.models.work import Item
from retrieval.models import Job, Status


class HookEvent(models.TextChoices):
    """What a receiver may be told of."""

    JUDGMENT = "judgment.created", "A judgment was given or revised"
    ITEM = "item.done", "An item has all its readings"
    STUDY = "study.done", "All items have all their readings"
    RULE = "rule.met", "The stopping rule is met"


TEST = "webhook.test"
"""What a message is that a researcher sends to see whether it arrives; nobody asks to be told of it."""


class Webhook(models.Model):
    """A study's wish that a receiver of the settings be told of events."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="webhooks")
    receiver = models.CharField(max_length=50, help_text="Its name in the settings; no address is stored")
    events = models.JSONField(default=list, help_text="Of what it is told")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True, help_text="Since when it is told nothing any more")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["study", "receiver"], condition=Q(ended=None), name="webhook_once_a_receiver"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: tells {self.receiver}"


class Delivery(Job):
    """One message to a receiver: what it says, how often it was tried, and what was answered."""

    kind = "webhook"
    unit = "messages"

    hook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    identifier = models.UUIDField(default=uuid.uuid4, unique=True, help_text="The same at every try")
    event = models.CharField(max_length=20, choices=[*HookEvent.choices, (TEST, "A test")])
    item = models.ForeignKey(Item, on_delete=models.CASCADE, null=True, related_name="+")
    data = models.JSONField(default=dict, help_text="What is told; nothing of persons")
    tries = models.PositiveSmallIntegerField(default=0)
    answered = models.PositiveSmallIntegerField(
        null=True, help_text="HTTP status of the last try; null: no answer"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="delivery_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="delivery_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="delivery_status_known"),
            models.UniqueConstraint(
                fields=["hook", "item"], condition=Q(event=HookEvent.ITEM), name="delivery_once_an_item"
            ),
            models.UniqueConstraint(
                fields=["hook"], condition=Q(event=HookEvent.STUDY), name="delivery_once_a_study"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.hook.receiver}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:study", args=[self.hook.study.slug])

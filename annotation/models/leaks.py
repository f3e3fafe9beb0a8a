"""Checks of a study for answers that it prints: each a job, with what it found."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation.models.study import Study
from annotation.models.work import Item
from retrieval.models import Job, Status

PENDING = Q(status__in=[Status.QUEUED, Status.RUNNING])


class LeakCheck(Job):
    """One check of all texts of a study: how far it is, and what it found."""

    kind = "leak check"
    unit = "steps"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="leak_checks")
    mends = models.BooleanField(
        default=False, help_text="Whether it first covers what the check before found in contexts"
    )
    texts = models.CharField(
        max_length=32, blank=True, help_text="Digest of what it reads; another when a text is changed"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["status", "queue", "not_before"], name="leak_check_waiting")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="leak_check_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="leak_check_status_known"),
            models.UniqueConstraint(fields=["study"], condition=PENDING, name="leak_check_once_a_study"),
        ]

    def __str__(self) -> str:
        return "The check for printed answers"

    def get_absolute_url(self) -> str:
        return reverse("annotation:leaks", args=[self.study.slug])


class LeakFinding(models.Model):
    """An option that stands in another text of its study, as a check found it."""

    leak_check = models.ForeignKey(LeakCheck, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=30)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+", help_text="Whose option it is")
    option = models.PositiveSmallIntegerField()
    where = models.ForeignKey(
        Item,
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        help_text="Whose text prints it; none: the study’s",
    )
    place = models.CharField(max_length=12, help_text="Which of its texts, as in `leaks.Shown`")
    number = models.PositiveIntegerField(help_text="Number of the text among its like, from 0")
    spans = models.JSONField(help_text="Where in that text, pairs of code points")
    run = models.PositiveIntegerField(help_text="Words in a row that are the same")
    share = models.FloatField(help_text="How much of the option’s words stand there, 0 to 1")
    key = models.CharField(max_length=32, help_text="Digest of its kind and both texts")

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} of item {self.item_id}"

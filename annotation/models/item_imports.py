"""Imports of large files of items into a study: each a job, with the file it reads."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation.models.study import Study
from retrieval.models import Job, Status


class ItemImport(Job):
    """One import of a file of items: how far it is, and in ``counts`` what came of it."""

    kind = "item import"
    unit = "steps"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="item_imports")
    name = models.CharField(max_length=200, help_text="Of the file, as it was sent")
    template = models.CharField(max_length=80, blank=True, help_text="Of the task, for fields that all share")

    to_open = models.BooleanField(
        default=False, help_text="Into a study that is open: all items at once, or none"
    )
    printed = models.BooleanField(
        default=False, help_text="Even where an answer can then be found without reading"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["status", "queue", "not_before"], name="item_import_waiting")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="item_import_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="item_import_status_known"),
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(status__in=[Status.QUEUED, Status.RUNNING]),
                name="item_import_once_a_study",
            ),
        ]

    def __str__(self) -> str:
        return f"The import of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:setup_items", args=[self.study.slug])

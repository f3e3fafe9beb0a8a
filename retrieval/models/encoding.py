"""Encoding jobs: which passages of a book are turned into vectors by what, so that they can be searched."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.models.jobs import Job, Status
from retrieval.models.texts import Book


class EncodingJob(Job):
    """All passages of one length of a book, encoded once; what comes of it is a file that may be deleted."""

    kind = "encoding"
    unit = "passages"

    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="encodings")
    size = models.PositiveSmallIntegerField(help_text="Sentences in each passage")
    ranker = models.CharField(max_length=60)
    parameters = models.JSONField(default=dict, help_text="Those of the ranker, its checkpoint by name")
    checkpoint = models.CharField(max_length=64, help_text="sha256 of the model")

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="encoding_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="encoding_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="encoding_status_known"),
        ]

    def __str__(self) -> str:
        return f"Encoding {self.pk}: passages of {self.size} of {self.book_id} by {self.ranker}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:search", args=[self.book.slug])

"""What staff deleted: the row is gone, its name, its digest and the reason stay."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from retrieval.models.curation import Signed


class DeletedKind(models.TextChoices):
    """What was deleted."""

    BOOK = "book", "Book"
    SOURCE = "source", "Source"
    EXCERPT = "excerpt", "Excerpt"
    JOB = "candidates", "Candidate job"
    LOADING = "loading", "Search or import"
    TRAINING = "training", "Training"
    WORDS = "words", "Table of words"


class Deletion(Signed):
    """One thing that was deleted, for good: who, when, why, and enough to recognise it."""

    kind = models.CharField(max_length=10, choices=DeletedKind.choices)
    name = models.CharField(max_length=300, help_text="What it was called on pages")
    facts = models.JSONField(default=dict, help_text="Its columns but for texts, and what went with it")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=DeletedKind.values), name="deletion_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.name}"

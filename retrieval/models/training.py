"""Training jobs: which books teach two encoders, which say when to stop, and how it went."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.models.checkpoints import Checkpoint
from retrieval.models.excerpts import Excerpt
from retrieval.models.jobs import Job, Status
from retrieval.models.texts import Book


class Split(models.TextChoices):
    """What a book is for in a training."""

    TRAIN = "train", "Learn from"
    VALIDATE = "validate", "Validate with"
    TEST = "test", "Test on"


class TrainingJob(Job):
    """One training of two encoders: what to learn from and how, and how far it has come."""

    kind = "training"
    unit = "steps"

    name = models.SlugField(max_length=50, unique=True, help_text="Of the checkpoint that comes of it")
    books = models.ManyToManyField(Book, through="TrainingBook", related_name="trainings")
    excerpts = models.ManyToManyField(
        Excerpt, related_name="trainings", help_text="In use when submitted, in the split of their book"
    )
    start = models.CharField(
        max_length=50, blank=True, help_text="The checkpoint it begins with; none: random weights"
    )
    start_sha256 = models.CharField(max_length=64, blank=True)
    toy = models.BooleanField(default=False, help_text="Whether it, or its start, began with random weights")
    plan = models.JSONField(default=dict, help_text="Recipe, encoder settings, contexts, cloze, negatives")

    curve = models.JSONField(default=list, help_text="Number, loss and validation loss of each epoch")
    made = models.OneToOneField(
        Checkpoint, on_delete=models.PROTECT, null=True, blank=True, related_name="training"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="training_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="training_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="training_status_known"),
        ]

    def __str__(self) -> str:
        return (
            f"Training {self.pk}: {self.name} (toy model)" if self.toy else f"Training {self.pk}: {self.name}"
        )

    def get_absolute_url(self) -> str:
        return reverse("retrieval:training", args=[self.pk])


class TrainingBook(models.Model):
    """A book in a training, and so in one split alone: no primary source is learned and tested on."""

    job = models.ForeignKey(TrainingJob, on_delete=models.CASCADE, related_name="splits")
    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="+")
    split = models.CharField(max_length=10, choices=Split.choices)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "book"], name="book_in_one_split"),
            models.CheckConstraint(condition=Q(split__in=Split.values), name="split_known"),
        ]

    def __str__(self) -> str:
        return f"{self.book_id} to {self.get_split_display().lower()} in training {self.job_id}"

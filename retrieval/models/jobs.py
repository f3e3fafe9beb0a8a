"""Jobs: what workers compute, how far it is, and who does it; candidates, which one kind of job makes."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.models.excerpts import Excerpt
from retrieval.models.texts import Book


class Status(models.TextChoices):
    """How a job stands."""

    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


ENDED = (Status.DONE, Status.FAILED, Status.CANCELLED)


class Job(models.Model):
    """Work that a worker does in its own time: what each kind of job has in common."""

    kind: ClassVar[str]
    """The name of the kind in messages to workers."""
    unit: ClassVar[str]
    """What is counted in `done` and `total`."""

    seed = models.BigIntegerField(default=0)
    code_version = models.CharField(max_length=80)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    stage = models.CharField(max_length=120, blank=True, help_text="What it is doing, in words")
    queue = models.CharField(max_length=10, default="cpu")
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=200, blank=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    counts = models.JSONField(
        default=dict, help_text="Exclusions by rule and other tallies, kept for the page"
    )

    class Meta:
        abstract = True

    @property
    def ended(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self.status in ENDED

    def get_absolute_url(self) -> str:
        """Return the address of the page that follows it."""
        raise NotImplementedError


class CandidateJob(Job):
    """One computation of candidates: what to compute, and how far it has come."""

    kind = "candidates"
    unit = "excerpts"

    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="jobs")
    excerpts = models.ManyToManyField(
        Excerpt, related_name="jobs", help_text="What it is about, as it was in use when submitted"
    )
    ranker = models.CharField(max_length=60)
    parameters = models.JSONField(
        default=dict, help_text="Ranker parameters, negatives, size, left, right, rules, matching"
    )
    made_with = models.JSONField(
        default=dict, help_text="Library, version, variant and tokeniser of the ranker"
    )
    checkpoint = models.CharField(max_length=64, blank=True, help_text="sha256 of the model, if any")
    words = models.JSONField(
        default=dict, help_text="sha256 of each table of words it ranks with, by kind and name: lemmas/latin"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="job_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="job_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="job_status_known"),
        ]

    def __str__(self) -> str:
        return f"Job {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:job", args=[self.pk])


class Candidate(models.Model):
    """One passage in one excerpt's candidate set, by its place in the ranking."""

    job = models.ForeignKey(CandidateJob, on_delete=models.CASCADE, related_name="candidates")
    excerpt = models.ForeignKey(Excerpt, on_delete=models.PROTECT, related_name="candidates")
    rank = models.PositiveIntegerField(help_text="Place among all passages of the gold's length, from 1")
    first = models.PositiveIntegerField()
    size = models.PositiveSmallIntegerField()
    scores = models.JSONField(default=dict, help_text="Score by ranker")
    is_gold = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["job", "excerpt", "rank"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "excerpt", "rank"], name="candidate_once"),
        ]

    def __str__(self) -> str:
        return f"Rank {self.rank} for excerpt {self.excerpt_id}"


class Worker(models.Model):
    """A worker process that was seen. Pages read it to say whether anybody is working."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

"""Evaluations of runs that a worker computes in its own time, and what came of them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from annotation.models import Study
from retrieval.corpora.models import Corpus, TopicSet
from retrieval.models import Job, Status

PENDING = Q(status__in=[Status.QUEUED, Status.RUNNING])


class EvaluationJob(Job):
    """Runs of a corpus measured on judgments: what was asked, of which inputs, and how far it has come."""

    kind = "evaluation"
    unit = "steps"

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="evaluations")
    topics = models.ForeignKey(TopicSet, on_delete=models.CASCADE, related_name="evaluations")
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, null=True, related_name="evaluations", help_text="Whose grades judge"
    )
    asked = models.JSONField(default=dict, help_text="Judgments, runs, base, level, measures and the like")
    key = models.CharField(max_length=32, db_index=True, help_text="Digest of all that was asked")
    inputs = models.JSONField(
        default=dict, help_text="Digest of each run, of the judgments and of the topics it was computed from"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["status", "queue", "not_before"], name="evaluation_waiting")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="evaluation_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="evaluation_status_known"),
            models.UniqueConstraint(fields=["key"], condition=PENDING, name="evaluation_pending_once"),
        ]

    def __str__(self) -> str:
        return f"Evaluation {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation:evaluation", args=[self.pk])


class EvaluationPart(models.Model):
    """Numbers of an evaluation: of one run, of one comparison, or, once it is done, all of them."""

    job = models.ForeignKey(EvaluationJob, on_delete=models.CASCADE, related_name="parts")
    name = models.CharField(max_length=120)
    packed = models.BinaryField(help_text="JSON, compressed by zlib")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "name"], name="evaluation_part_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.job_id}"

"""What a model is asked about a corpus: jobs, and what it knew of a query's answer by heart."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from machines.models import Budget
from retrieval.corpora.models.documents import Corpus
from retrieval.corpora.models.runs import Run
from retrieval.corpora.models.topics import TopicSet, TopicVersion
from retrieval.models.jobs import Job, Status


class What(models.TextChoices):
    """What a model is asked to do."""

    RERANK = "rerank", "Re-ranking"
    CONTAMINATION = "contamination", "Check for contamination"
    QUESTIONS = "questions", "Writing of questions"


class EndpointJob(Job):
    """Work for which a model is asked, within a budget.

    Replies are kept in the ledger: a job that was stopped asks nothing twice.
    """

    kind = "endpoint"
    unit = "steps"

    what = models.CharField(max_length=20, choices=What.choices)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="endpoint_jobs")
    topics = models.ForeignKey(
        TopicSet, on_delete=models.PROTECT, null=True, related_name="+", help_text="Empty for questions"
    )
    name = models.SlugField(max_length=80, help_text="Of the run, the judgments or the set of questions")
    endpoint = models.CharField(max_length=50, help_text="The alias of the model, as the settings have it")
    plan = models.JSONField(default=dict, help_text="Method, depth, objective, and what else was asked for")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(
        Run, on_delete=models.SET_NULL, null=True, related_name="+", help_text="What came of a re-ranking"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="endpoint_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="endpoint_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="endpoint_status_known"),
            models.CheckConstraint(condition=Q(what__in=What.values), name="endpoint_what_known"),
            models.UniqueConstraint(
                fields=["corpus", "what", "name"],
                condition=Q(status__in=[Status.QUEUED, Status.RUNNING]),
                name="endpoint_name_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_what_display()} {self.pk}: {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:endpoint_job", args=[self.pk])


class Recall(models.Model):
    """How much of a query's targets a model wrote without having been shown any passage.

    Its conclusion is for one wording, one model and the judgments that named the targets.
    """

    topic = models.ForeignKey(TopicVersion, on_delete=models.CASCADE, related_name="recalls")
    job = models.ForeignKey(EndpointJob, on_delete=models.CASCADE, related_name="recalls")
    endpoint = models.CharField(max_length=50, help_text="The alias of the model")
    model = models.CharField(max_length=200, blank=True)
    qrels = models.SlugField(
        max_length=80, help_text="The judgments whose relevant documents are the targets"
    )
    prompt_sha256 = models.CharField(max_length=64)
    replicates = models.PositiveSmallIntegerField(help_text="Replies that were read")
    longest_run = models.PositiveIntegerField(help_text="Words in a row of a target, in the worst reply")
    similarity = models.FloatField(help_text="Normalised edit similarity, 0 to 1, of the worst reply")
    contaminated = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["topic", "endpoint", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "topic"], name="recall_once_a_job"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id} by {self.endpoint}: {'contaminated' if self.contaminated else 'clean'}"

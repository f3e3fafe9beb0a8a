"""Runs: a ranking of documents for each topic, made here or brought along."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from retrieval.corpora.models.documents import Corpus, Document
from retrieval.corpora.models.topics import TopicSet, TopicVersion


class RunState(models.TextChoices):
    """Whether a run can be used."""

    STAGED = "staged", "Being made"
    READY = "ready", "Ready"


class ReadyRuns(models.Manager["Run"]):
    """Runs that are here whole: those that are being made are shown to nobody but their maker."""

    def get_queryset(self) -> models.QuerySet[Run]:
        return super().get_queryset().filter(state=RunState.READY)


class Run(models.Model):
    """What one ranker made of the topics of a set over one corpus."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="runs")
    topics = models.ForeignKey(TopicSet, on_delete=models.PROTECT, related_name="runs")
    name = models.SlugField(max_length=80, help_text="The tag in files of runs")
    ranker = models.CharField(max_length=60, blank=True, help_text="Empty: loaded from a file")
    parameters = models.JSONField(default=dict, help_text="Of the ranker, feedback and filters included")
    made_with = models.JSONField(default=dict, help_text="Library, version, index and rule of ties")
    file_name = models.CharField(max_length=300, blank=True, help_text="Of a run that was loaded")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file it was loaded from")
    depth = models.PositiveIntegerField(help_text="Most documents a topic")
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.READY)
    n_topics = models.PositiveIntegerField(default=0, help_text="Topics that are stored while it is made")
    n_rows = models.PositiveIntegerField(default=0, help_text="Documents it ranks, of all topics together")
    staged = models.JSONField(
        default=dict, help_text="While it is made: what of, as a digest, and what was noticed so far"
    )
    notes = models.JSONField(
        default=list, help_text="What was noticed when it was made or loaded, in sentences"
    )
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = ReadyRuns()
    everything = models.Manager["Run"]()

    class Meta:
        ordering: ClassVar = ["corpus", "topics", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["corpus", "name", "state"], name="run_name_once"),
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="run_state_known"),
        ]

    def __str__(self) -> str:
        return self.name


class Ranked(models.Model):
    """One document in the ranking of a run for one topic."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rows")
    topic = models.ForeignKey(
        TopicVersion,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The wording that was searched for",
    )
    rank = models.PositiveIntegerField(help_text="From 1")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    score = models.FloatField()

    class Meta:
        ordering: ClassVar = ["run", "topic", "rank"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "topic", "rank"], name="ranked_rank_once"),
            models.UniqueConstraint(fields=["run", "topic", "document"], name="ranked_document_once"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="ranked_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.document_id} for {self.topic_id}"

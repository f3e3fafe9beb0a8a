"""Runs: a ranking of documents for each topic, made here or brought along."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from retrieval.corpora.models.documents import Corpus, Document
from retrieval.corpora.models.topics import TopicSet, TopicVersion


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
    notes = models.JSONField(
        default=list, help_text="What was noticed when it was made or loaded, in sentences"
    )
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["corpus", "topics", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["corpus", "name"], name="run_name_once"),
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

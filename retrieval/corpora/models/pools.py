"""Pools: which documents are judged for which topic; and qrels, what was judged elsewhere."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from retrieval.corpora.models.documents import Corpus, Document
from retrieval.corpora.models.runs import Run
from retrieval.corpora.models.topics import Topic, TopicSet


class Pool(models.Model):
    """The union over some runs of each topic's first documents, without what an earlier pool has."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="pools")
    topics = models.ForeignKey(TopicSet, on_delete=models.PROTECT, related_name="pools")
    number = models.PositiveIntegerField(help_text="From 1: first pool, second pool")
    depth = models.PositiveIntegerField(help_text="Documents taken of each run and topic")
    runs = models.ManyToManyField(Run, related_name="pools")
    counts = models.JSONField(
        default=dict, help_text="By run: documents it gave, and documents no other run gave"
    )
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["corpus", "topics", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["corpus", "topics", "number"], name="pool_number_once"),
            models.CheckConstraint(condition=Q(depth__gte=1), name="pool_depth_from_one"),
        ]

    def __str__(self) -> str:
        return f"Pool {self.number} of {self.topics} in {self.corpus}"


class PoolEntry(models.Model):
    """One document to be judged for one topic."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="entries")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    best_rank = models.PositiveIntegerField(help_text="The best of the ranks the runs gave it")
    n_runs = models.PositiveSmallIntegerField(help_text="Runs that gave it within the depth")

    class Meta:
        ordering: ClassVar = ["pool", "topic", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["pool", "topic", "document"], name="pooled_once"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} for {self.topic_id}"


class Qrels(models.Model):
    """Relevance judgments made elsewhere, loaded from a file. What is judged here is never stored here."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="qrels")
    topics = models.ForeignKey(TopicSet, on_delete=models.PROTECT, related_name="qrels")
    name = models.SlugField(max_length=80)
    source = models.CharField(max_length=300, blank=True, help_text="Who judged, and by which rule")
    file_name = models.CharField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file")
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["corpus", "topics", "name"]
        verbose_name_plural = "qrels"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["corpus", "name"], name="qrels_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Grade(models.Model):
    """How relevant one document is to one topic, as the qrels say."""

    qrels = models.ForeignKey(Qrels, on_delete=models.CASCADE, related_name="grades")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+")
    grade = models.SmallIntegerField(help_text="Higher is more relevant; below 0: in the pool, not judged")

    class Meta:
        ordering: ClassVar = ["qrels", "topic", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["qrels", "topic", "document"], name="graded_once"),
        ]

    def __str__(self) -> str:
        return f"{self.grade}: {self.document_id} for {self.topic_id}"

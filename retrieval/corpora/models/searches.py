"""Searches of a corpus that a worker does in its own time."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.corpora.models.documents import Corpus
from retrieval.corpora.models.runs import Run
from retrieval.corpora.models.topics import TopicSet
from retrieval.models.jobs import Job, Status


class SearchJob(Job):
    """A search of a corpus for every topic of a set; what comes of it is a run, whole or not at all."""

    kind = "corpus-search"
    unit = "steps"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="searches")
    topics = models.ForeignKey(TopicSet, on_delete=models.PROTECT, related_name="searches")
    name = models.SlugField(max_length=80, help_text="Of the run")
    plan = models.JSONField(default=dict, help_text="Ranker, query, genres, depth, and its settings")
    run = models.ForeignKey(
        Run, on_delete=models.SET_NULL, null=True, related_name="+", help_text="What came of it"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="search_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="search_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="search_status_known"),
            models.UniqueConstraint(
                fields=["corpus", "name"],
                condition=Q(status__in=[Status.QUEUED, Status.RUNNING]),
                name="search_name_once",
            ),
        ]

    def __str__(self) -> str:
        return f"Search {self.pk}: {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:corpus_search", args=[self.pk])

"""Loading jobs: the quotations of a book looked for in a source, and files too large to be read at once."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from retrieval.models.jobs import Job, Status
from retrieval.models.texts import Book, Source


class LoadingTask(models.TextChoices):
    """What a loading job does."""

    FIND = "find", "Quotations"
    MANY = "find-many", "Quotations of many"
    BOOK = "book", "Import of a book"
    SOURCE = "source", "Import of a source"
    RELIC = "relic", "Import of a RELiC file"


PENDING = Q(status__in=[Status.QUEUED, Status.RUNNING])


class LoadingJob(Job):
    """A search for quotations, or an import: what a request would take too long for."""

    kind = "loading"
    unit = "steps"

    work = models.CharField(max_length=10, choices=LoadingTask.choices)
    # Nothing hangs on a job that has ended: it goes with its texts.
    book = models.ForeignKey(
        Book,
        on_delete=models.CASCADE,
        null=True,
        related_name="loadings",
        help_text="Whose quotations are looked for, or what was imported",
    )
    source = models.ForeignKey(Source, on_delete=models.CASCADE, null=True, related_name="loadings")
    name = models.CharField(max_length=300, blank=True, help_text="What the uploaded file is called")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file, or of the pairs to search")
    facts = models.JSONField(
        default=dict, help_text="What is said about the file, or the slugs of sources and books to search"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status", "queue", "not_before"], name="loading_waiting")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="loading_done_at_most_total"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="loading_status_known"),
            models.CheckConstraint(
                condition=Q(work=LoadingTask.FIND, book__isnull=False, source__isnull=False, sha256="")
                | Q(work=LoadingTask.MANY, book=None, source=None) & ~Q(sha256="")
                | (Q(work__in=[LoadingTask.BOOK, LoadingTask.SOURCE, LoadingTask.RELIC]) & ~Q(sha256="")),
                name="loading_of_two_texts_or_a_file",
            ),
            models.UniqueConstraint(
                fields=["book", "source"],
                condition=PENDING & Q(work=LoadingTask.FIND),
                name="loading_finds_once",
            ),
            models.UniqueConstraint(
                fields=["work", "sha256"],
                condition=PENDING & ~Q(work=LoadingTask.FIND),
                name="loading_imports_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{'Search' if self.finds else 'Import'} {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:loading", args=[self.pk])

    @property
    def finds(self) -> bool:
        """Whether it looks for quotations, and imports nothing."""
        return self.work in (LoadingTask.FIND, LoadingTask.MANY)

    @property
    def many(self) -> bool:
        """Whether it looks in several sources, or for several books, pair by pair."""
        return self.work == LoadingTask.MANY


class SearchedPair(models.Model):
    """What came of one pair of a search of many, stored with its excerpts."""

    job = models.ForeignKey(LoadingJob, on_delete=models.CASCADE, related_name="pairs")
    number = models.PositiveIntegerField(help_text="Its place among the job’s pairs, from 0")
    source = models.CharField(max_length=80)
    book = models.CharField(max_length=80)
    new = models.PositiveIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)
    set_aside = models.PositiveIntegerField(default=0)
    dropped = models.JSONField(default=dict, help_text="How many quotations were dropped, by reason")
    refusal = models.TextField(blank=True, help_text="Why it was not searched, if it was not")

    class Meta:
        ordering: ClassVar = ["job", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "number"], name="searched_pair_once"),
        ]

    def __str__(self) -> str:
        return f"{self.source} on {self.book}"

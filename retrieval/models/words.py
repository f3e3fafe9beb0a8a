"""What an installation knows of words: vectors, lemmas, synonyms, stop lists, by name."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from django.conf import settings as site
from django.db import models
from django.db.models import Q
from django.urls import reverse


class WordKind(models.TextChoices):
    """What is known; the values are those of `engine.words.kinds`."""

    VECTORS = "vectors", "Word vectors"
    LEMMAS = "lemmas", "Lemma table"
    SYNONYMS = "synonyms", "Synonym table"
    STOP_LIST = "stop-list", "Stop list"


class WordTable(models.Model):
    """One file on words that rankers may use.

    A job names a row and keeps the sha256, so a table that is another one by now is refused.
    """

    kind = models.CharField(max_length=10, choices=WordKind.choices)
    slug = models.SlugField(max_length=50, help_text="Its name in jobs: once of each kind")
    sha256 = models.CharField(max_length=64, help_text="Of the file that was added")
    file_name = models.CharField(max_length=300)
    n_words = models.PositiveIntegerField(help_text="Words with an entry")
    width = models.PositiveSmallIntegerField(default=0, help_text="Numbers of a vector; 0 of a table")
    remarks = models.JSONField(default=list, help_text="What was left out of the file, in sentences")
    source = models.CharField(max_length=300, blank=True, help_text="Where the file is from")
    licence = models.CharField(max_length=200, blank=True)
    created_by = models.ForeignKey(
        site.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["kind", "slug"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "slug"], name="word_table_once"),
            models.CheckConstraint(condition=Q(kind__in=WordKind.values), name="word_table_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.slug}"

    @property
    def key(self) -> str:
        """How a job names the row where it keeps the sha256."""
        return f"{self.kind}/{self.slug}"

    @property
    def place(self) -> Path:
        """The folder in which it is kept."""
        return Path(site.DATA_DIR, "words", self.kind, self.sha256)

    def get_absolute_url(self) -> str:
        return reverse("retrieval:trainings") + "#words"

"""A corpus and its documents: what topics are searched in."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from retrieval.models import Book

LONGEST_TITLE = 2_000
"""Characters of a title: titles of papers and patents are long."""
LONGEST_ID = 200
"""Bytes of an id: one must fit into a line of a run, and into an index of every database."""


class State(models.TextChoices):
    """Whether a corpus can be used."""

    LOADING = "loading", "Being loaded"
    READY = "ready", "Ready"


class Corpora(models.QuerySet["Corpus"]):
    """Corpora, of which those that are being loaded are shown to nobody but their loader."""

    def ready(self) -> Corpora:
        """Return those of which every document is here."""
        return self.filter(state=State.READY)


class Corpus(models.Model):
    """Documents that are searched together. Once ready, neither it nor a document of it changes."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=300)
    language = models.CharField(max_length=35, default="en", help_text="BCP 47 tag")
    source = models.CharField(max_length=300, blank=True, help_text="Where the documents come from")
    licence = models.CharField(max_length=200, blank=True)
    recipe = models.JSONField(
        default=dict, help_text="Format and name of the file, or the texts it was cut from, and how"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.LOADING)
    read_to = models.BigIntegerField(
        default=0, help_text="Bytes of the file that are stored: where an interrupted loading goes on"
    )
    read_lines = models.PositiveBigIntegerField(default=0, help_text="Lines up to there")
    n_documents = models.PositiveIntegerField(default=0)
    n_words = models.PositiveBigIntegerField(default=0, help_text="Words between white space")
    n_equal = models.PositiveIntegerField(default=0, help_text="Documents whose text an earlier one has")
    n_empty = models.PositiveIntegerField(
        default=0, help_text="Documents of the file without title and text, which were left out as asked"
    )
    empty_lines = models.JSONField(default=list, help_text="The lines of the first of them")
    sha256 = models.CharField(
        max_length=64, blank=True, help_text="Of the file, or of the texts it was cut from"
    )
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = Corpora.as_manager()

    class Meta:
        ordering: ClassVar = ["title", "slug"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=State.values), name="corpus_state_known"),
            models.CheckConstraint(
                condition=Q(n_equal__lte=F("n_documents")), name="corpus_equal_at_most_documents"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Document(models.Model):
    """One text of a corpus: what is ranked and judged. It never changes."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    number = models.PositiveIntegerField(help_text="From 0, in the order of the file: its row in every array")
    external_id = models.CharField(max_length=LONGEST_ID, help_text="Its id in files of runs and qrels")
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    text = models.TextField()
    lemmata = models.TextField(
        blank=True, help_text="The words of the text as lemmas, with blanks between them; empty: not known"
    )
    genre = models.CharField(max_length=60, blank=True)
    year = models.SmallIntegerField(null=True)
    language = models.CharField(max_length=35, blank=True, help_text="BCP 47 tag; empty: the corpus's")
    source_key = models.CharField(
        max_length=120, blank=True, help_text="The text it was cut from: its neighbours have the same"
    )
    book = models.ForeignKey(Book, on_delete=models.PROTECT, null=True, related_name="+")
    start = models.PositiveIntegerField(null=True, help_text="Offsets into the text of the book")
    end = models.PositiveIntegerField(null=True)
    extra = models.JSONField(default=dict, help_text="What else its line of the file said")
    digest = models.CharField(max_length=32, help_text="Of title and text: equal texts have equal digests")

    class Meta:
        ordering: ClassVar = ["corpus", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["corpus", "number"], name="document_number_once"),
            models.UniqueConstraint(fields=["corpus", "external_id"], name="document_id_once"),
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True)
                | Q(start__isnull=False, end__gt=F("start")),
                name="document_range_is_whole",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["corpus", "genre", "year", "language"], name="document_facets"),
        ]

    def __str__(self) -> str:
        return self.title or self.external_id

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert it; a document that is stored is never written again."""
        if not self._state.adding:
            raise ValueError("A document never changes: load another corpus.")
        super().save(*args, **kwargs)

    def neighbour(self, step: int) -> Document | None:
        """Return the document `step` after this one (before, where negative) in the same text, or None."""
        if not self.source_key:
            return None
        return Document.objects.filter(
            corpus=self.corpus_id, number=self.number + step, source_key=self.source_key
        ).first()

"""Questions that are written from citations, judged and edited, until they are topics with targets."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from retrieval.corpora.models.documents import LONGEST_ID, Corpus, Document
from retrieval.corpora.models.topics import Topic, TopicSet


class QuestionSet(models.Model):
    """Questions about the documents of one corpus that were written together."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="question_sets")
    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=300)
    origin = models.CharField(
        max_length=60, default="inline", help_text="inline: from citations; author: by authors"
    )
    most_overlap = models.FloatField(default=0.5, help_text="With a target's title; more is refused")
    file_name = models.CharField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file of paragraphs")
    topics = models.ForeignKey(
        TopicSet, on_delete=models.SET_NULL, null=True, related_name="+", help_text="What it was exported as"
    )
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["title", "slug"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(most_overlap__gte=0, most_overlap__lte=1), name="question_overlap_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Standing(models.TextChoices):
    """How a question stands."""

    WAITING = "waiting", "Not written yet"
    WRITTEN = "written", "Kept"
    REFUSED = "refused", "Refused by rule"
    UNREADABLE = "unreadable", "No reply could be read"
    LEFT_OUT = "left_out", "Left out"


class Question(models.Model):
    """One question, the paragraph it was written from, and the documents it looks for."""

    set = models.ForeignKey(QuestionSet, on_delete=models.CASCADE, related_name="questions")
    number = models.PositiveIntegerField(help_text="From 1, in the order of the file")
    paragraph_id = models.CharField(max_length=LONGEST_ID, blank=True)
    paragraph = models.TextField(blank=True, help_text="With [CITED] where the targets are cited")
    source = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Where the paragraph stands",
    )
    targets = models.ManyToManyField(Document, related_name="+")
    text = models.TextField(blank=True, help_text="The question, as it reads now")
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.WAITING)
    refused = models.JSONField(default=list, help_text="Why it is refused, in sentences")
    overlap = models.FloatField(null=True, help_text="Share of its words in a target's title")
    overlap_all = models.FloatField(null=True, help_text="The same with title and text")
    writer = models.CharField(max_length=50, blank=True, help_text="Alias of the model; empty: a person")
    model = models.CharField(max_length=200, blank=True)
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    call = models.BigIntegerField(null=True, help_text="Of the ledger")
    specificity = models.CharField(
        max_length=20, blank=True, help_text="As people judged: specific, broad, …"
    )
    quality = models.PositiveSmallIntegerField(null=True, help_text="As people judged, 0 to 2")
    topic = models.OneToOneField(
        Topic, on_delete=models.SET_NULL, null=True, related_name="question", help_text="What it became"
    )

    class Meta:
        ordering: ClassVar = ["set", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["set", "number"], name="question_number_once"),
            models.CheckConstraint(condition=Q(standing__in=Standing.values), name="question_standing_known"),
        ]

    def __str__(self) -> str:
        return f"{self.set_id}.{self.number}"


class QuestionEdit(models.Model):
    """One change of a question, before and after. It is never changed itself."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="edits")
    before = models.TextField(blank=True)
    after = models.TextField()
    why = models.CharField(max_length=300, blank=True)
    writer = models.CharField(max_length=50, blank=True, help_text="Alias of a model; empty: a person")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["question", "id"]

    def __str__(self) -> str:
        return f"{self.question}: {self.after[:40]}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert it; an edit that is stored is never written again."""
        if not self._state.adding:
            raise ValueError("An edit never changes: make another.")
        super().save(*args, **kwargs)

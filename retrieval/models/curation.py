"""What staff decided about excerpts and sources, and what a comparison left for them to decide."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from retrieval.models.excerpts import Excerpt
from retrieval.models.texts import Book, Source

LONGEST_REASON = 300


class Signed(models.Model):
    """What staff decide says who did it, when and why."""

    reason = models.CharField(max_length=LONGEST_REASON)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        abstract = True


class Exclusion(Signed):
    """A source, or a stretch of its text, from which no excerpt is taken, and why.

    Lifting it keeps the row: what was excluded once can be read later.
    """

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="exclusions")
    book = models.ForeignKey(
        Book, on_delete=models.PROTECT, null=True, related_name="exclusions", help_text="Null: of every book"
    )
    start = models.PositiveIntegerField(null=True, help_text="Offset in the source; null: the whole source")
    end = models.PositiveIntegerField(null=True)
    lifted = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["source", "start", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(start__isnull=True, end__isnull=True)
                | Q(start__isnull=False, end__gt=F("start")),
                name="exclusion_range_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.start}-{self.end}: {self.reason}"

    @property
    def whole(self) -> bool:
        """Whether it is the source as a whole."""
        return self.start is None

    def covers(self, start: int, end: int) -> bool:
        """Whether it touches a stretch of the source."""
        return self.start is None or self.end is None or (start < self.end and self.start < end)


class Act(models.TextChoices):
    """What was decided."""

    REJECTED = "rejected", "Rejected"
    RESTORED = "restored", "Restored"
    MOVED = "moved", "Borders moved"
    TAKEN = "taken", "Taken by hand"
    COVERED = "covered", "Words covered"
    UNCOVERED = "uncovered", "Words uncovered"


class Curation(Signed):
    """One decision about an excerpt: who, when, what, why. Append-only."""

    excerpt = models.ForeignKey(Excerpt, on_delete=models.PROTECT, related_name="curations")
    act = models.CharField(max_length=10, choices=Act.choices)
    change = models.JSONField(
        default=dict,
        help_text="Of moved borders: what was and what is, by field; of covered words: these; else empty",
    )
    exclusion = models.ForeignKey(
        Exclusion, on_delete=models.PROTECT, null=True, related_name="curations", help_text="Which caused it"
    )

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(act__in=Act.values), name="curation_act_known"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.excerpt_id}: {self.reason}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the decision. Raises ValueError where it is stored already: none is ever changed."""
        if self.pk is not None and not self._state.adding:
            raise ValueError("A decision is never changed; a new one follows it.")
        super().save(*args, **kwargs)


class Comparison(models.Model):
    """The last search for quotations of a book in a source: how many, and what was not taken.

    The wording is a slice of the source, so only places and reasons are kept.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="comparisons")
    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="comparisons")
    found = models.PositiveIntegerField(default=0)
    dropped = models.JSONField(default=list, help_text="[start, end, reason] in the source, in its order")
    code_version = models.CharField(max_length=80)
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["source", "book"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "book"], name="comparison_once"),
        ]

    def __str__(self) -> str:
        return f"{self.book_id} in {self.source_id}: {self.found}"

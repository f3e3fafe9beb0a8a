"""What critics quote: each quotation once, and whether staff keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.db.models import Q
from django.urls import reverse

from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import GAP
from retrieval.models.texts import Book, Source

if TYPE_CHECKING:
    from collections.abc import Sequence


class Standing(models.TextChoices):
    """Whether new jobs take an excerpt."""

    IN_USE = "in-use", "In use"
    REJECTED = "rejected", "Rejected"
    SUPERSEDED = "superseded", "Superseded"


class Excerpts(models.QuerySet["Excerpt"]):
    """A query on excerpts."""

    def in_use(self) -> Excerpts:
        """Keep those neither rejected nor superseded, which new jobs and statistics take."""
        return self.filter(standing=Standing.IN_USE)


class Excerpt(models.Model):
    """A piece of literary analysis around one masked quotation.

    The gold answer is the book's own wording (`first`, `size`); what the critic
    printed stands beside it. The digest makes importing twice add nothing.

    What an excerpt says never changes, because candidates and items hang on it:
    other borders, or covered words, make another row, which supersedes this one. Only its standing
    changes, by the acts that `Curation` records.
    """

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="excerpts")
    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="excerpts")
    left = models.JSONField(help_text="Up to four sentences before the quotation, in reading order")
    right = models.JSONField(help_text="Up to four sentences after the quotation")
    printed = models.TextField(blank=True, help_text="The quotation as the critic printed it")
    start = models.PositiveIntegerField(null=True, blank=True, help_text="Offset in the source's text")
    end = models.PositiveIntegerField(null=True, blank=True)
    first = models.PositiveIntegerField(null=True, blank=True, help_text="First sentence in the book")
    size = models.PositiveSmallIntegerField(null=True, blank=True, help_text="How many sentences")
    score = models.FloatField(null=True, blank=True, help_text="QRatio of printed and book wording, 0-100")
    why = models.CharField(max_length=300, blank=True, help_text="Why this was accepted as a quotation")
    external_id = models.CharField(max_length=200, blank=True, help_text="The id it had where it came from")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.IN_USE)
    superseded_by = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="supersedes",
        help_text="The same quotation with other borders, or words of its context covered",
    )

    objects = Excerpts.as_manager()

    class Meta:
        ordering: ClassVar = ["book", "source", "start", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(first__isnull=True, size__isnull=True) | Q(first__isnull=False, size__gte=1),
                name="excerpt_place_is_whole",
            ),
            models.CheckConstraint(
                condition=Q(standing=Standing.SUPERSEDED, superseded_by__isnull=False)
                | Q(standing__in=[Standing.IN_USE, Standing.REJECTED], superseded_by__isnull=True),
                name="excerpt_superseded_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} on {self.book}, excerpt {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("retrieval:excerpt", args=[self.pk])

    @property
    def gold(self) -> Passage | None:
        """The quotation's place in the book, None where it was not found."""
        if self.first is None or self.size is None:
            return None
        return Passage(self.first, self.size)

    def context(self, left: int, right: int) -> str:
        """Return the last `left` sentences before the gap and the first `right` after it, as one text."""
        before, after = self._sides(left, right)
        return " ".join([*before, *after])

    def query(self, left: int, right: int) -> str:
        """Return the context with a mark where the quotation stood.

        Rankers that count words pass over the mark.
        """
        before, after = self._sides(left, right)
        return " ".join([*before, GAP, *after])

    def _sides(self, left: int, right: int) -> tuple[Sequence[str], Sequence[str]]:
        before: Sequence[str] = self.left[len(self.left) - left :] if left < len(self.left) else self.left
        return before, self.right[:right]

"""What guards the record: seals, which chain digests of its rows, and erasures, which announce what goes."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.record import AppendOnly


class Erasure(AppendOnly):
    """Says that rows of the record were deleted, whose, how many and which. Nothing is deleted without one.

    Written before the rows go: triggers refuse a deletion that no erasure speaks of. Numbers instead of
    foreign keys, since studies go too.
    """

    class Extent(models.TextChoices):
        """How much of somebody's part goes."""

        WORDS = "words", "Drafts that were never sent"
        ALL = "all", "All that was said"

    study = models.BigIntegerField(help_text="Key of the study")
    enrolment = models.BigIntegerField(
        null=True, help_text="Key of the enrolment; null: the study as a whole"
    )
    extent = models.CharField(max_length=5, choices=Extent.choices)
    judgments = models.PositiveIntegerField(default=0, help_text="How many were deleted")
    decisions = models.PositiveIntegerField(default=0, help_text="How many were deleted")
    events = models.PositiveIntegerField(default=0, help_text="How many were deleted")
    keys = models.JSONField(
        null=True,
        help_text="Which rows: by table, pairs of a first and a last key; null: an erasure of before, "
        "which only counts",
    )
    created = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            # Asked by the triggers for each row that goes.
            models.Index(fields=["enrolment", "extent"], name="erasure_of_enrolment"),
            models.Index(fields=["study"], name="erasure_of_study"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(extent__in=["words", "all"]), name="erasure_extent_known"),
        ]

    def __str__(self) -> str:
        return f"Erasure at {self.created}"


class Seal(AppendOnly):
    """Digests of some rows of the record, chained to the seal before. `annotation.record` makes them."""

    number = models.PositiveBigIntegerField(unique=True, help_text="Its place in the chain, from 1")
    table = models.CharField(max_length=20, help_text="judgment, decision, event or erasure")
    first = models.PositiveBigIntegerField(help_text="Key of its first row")
    last = models.PositiveBigIntegerField(help_text="Key of its last row")
    columns = models.JSONField(help_text="What the digests are of, in this order")
    digests = models.BinaryField(help_text="Of each row its key, 8 bytes, and its SHA-256, 32 bytes")
    previous = models.CharField(max_length=64, help_text="SHA-256 of the seal before; zeros for the first")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of all of the above")
    created = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["number"]
        indexes: ClassVar = [models.Index(fields=["table", "last"], name="seal_of_table")]

    def __str__(self) -> str:
        return f"Seal {self.number}"

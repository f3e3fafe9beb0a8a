"""Items, and the places at them. `k` judgments per item are `k` rows, made before anybody comes."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.models.people import Enrolment
from annotation.models.study import Kind, Study
from retrieval.models import Excerpt


class Item(models.Model):
    """What a reader is asked once. Frozen when built, with the canonical order of its options."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    payload = models.JSONField(help_text="All a reader may see; never where an option came from")
    gold = models.JSONField(null=True, blank=True, help_text="The right answer in canonical terms, or null")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.WORK)
    provenance = models.JSONField(
        default=dict, help_text="Which options came from where; never shown to readers"
    )
    excerpt = models.ForeignKey(
        Excerpt, on_delete=models.PROTECT, null=True, blank=True, related_name="items"
    )
    digest = models.CharField(max_length=64, editable=False)

    class Meta:
        ordering: ClassVar = ["study", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "number"], name="item_number_once"),
            models.UniqueConstraint(fields=["study", "digest"], name="item_content_once"),
        ]

    def __str__(self) -> str:
        return f"Item {self.number} of {self.study}"


class Place(models.TextChoices):
    FREE = "free", "Free"
    HELD = "held", "Held"
    DONE = "done", "Done"


class Assignment(models.Model):
    """One place at an item. That an item gets exactly k judgments is a property of these rows."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    place = models.PositiveSmallIntegerField(help_text="1 to k")
    annotator = models.ForeignKey(
        Enrolment, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    status = models.CharField(max_length=6, choices=Place.choices, default=Place.FREE)
    lease_until = models.DateTimeField(null=True, blank=True)
    claimed = models.DateTimeField(null=True, blank=True)
    opened = models.DateTimeField(null=True, blank=True, help_text="First shown to the reader")
    put_off = models.DateTimeField(null=True, blank=True, help_text="When the reader said: later")
    order = models.JSONField(default=list, help_text="Canonical option numbers in the order shown")
    draft = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["item", "place"]
        indexes: ClassVar = [
            models.Index(fields=["study", "status", "item", "place"], name="place_to_claim"),
            models.Index(fields=["annotator", "status"], name="place_of_annotator"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "place"], name="place_once"),
            # The annotator first: a reader's furthest item is then one step in this index.
            models.UniqueConstraint(fields=["annotator", "item"], name="annotator_once_an_item"),
            models.CheckConstraint(
                condition=Q(status="free", annotator__isnull=True)
                | Q(status__in=["held", "done"], annotator__isnull=False),
                name="place_free_or_somebodys",
            ),
        ]

    def __str__(self) -> str:
        return f"Place {self.place} at {self.item}"

    def get_absolute_url(self) -> str:
        return reverse("annotation:work", args=[self.pk])

"""Which documents of a corpus cite which."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from retrieval.corpora.models.documents import Document


class Citation(models.Model):
    """One document cites another of the same corpus, at this place among what it cites."""

    citing = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="cites")
    cited = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="cited_by")
    place = models.PositiveIntegerField(help_text="From 0, in the order of the citing document")

    class Meta:
        ordering: ClassVar = ["citing", "place"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["citing", "cited"], name="cited_once"),
            models.CheckConstraint(condition=~models.Q(citing=models.F("cited")), name="citation_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.citing_id} cites {self.cited_id}"

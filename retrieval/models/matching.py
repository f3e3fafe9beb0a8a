"""What is known of an excerpt while its job matches negatives, and what of it is kept."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from retrieval.models.excerpts import Excerpt
from retrieval.models.jobs import CandidateJob


class MatchedExcerpt(models.Model):
    """An excerpt whose negatives look like its gold.

    Which of the possible negatives it gets is known when all excerpts of the job are ranked. Until then
    `options` holds the best for each cell; then they become candidates, and `place` and `kept` say what
    was dealt out and which rules hold.
    """

    job = models.ForeignKey(CandidateJob, on_delete=models.CASCADE, related_name="matched")
    excerpt = models.ForeignKey(Excerpt, on_delete=models.PROTECT, related_name="+")
    length = models.PositiveIntegerField(help_text="Characters of the gold")
    options = models.JSONField(
        default=dict, help_text="Until it is dealt out: gold, choices and what to compare with"
    )
    place = models.PositiveSmallIntegerField(null=True, help_text="How many negatives are to be shorter")
    kept = models.JSONField(null=True, help_text="The rules that hold; none yet: null")

    class Meta:
        ordering: ClassVar = ["job", "excerpt"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["job", "excerpt"], name="matched_once"),
        ]

    def __str__(self) -> str:
        return f"Matched negatives of excerpt {self.excerpt_id} in job {self.job_id}"

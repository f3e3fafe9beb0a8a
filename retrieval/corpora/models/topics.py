"""Topics: what somebody wants to know, in versions that are only ever added."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from retrieval.corpora.models.documents import LONGEST_ID


class TopicSet(models.Model):
    """Topics that belong together, as the topics of one track or paper do."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=300)
    facets = models.JSONField(default=list, help_text="Names of the facets its topics have, e.g. subset")
    wordings = models.JSONField(
        default=list, help_text="Names of the other wordings its topics have, e.g. adjudicated"
    )
    source = models.CharField(max_length=300, blank=True, help_text="Where the topics come from")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file it was first loaded from")
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["title", "slug"]

    def __str__(self) -> str:
        return self.title


class Topic(models.Model):
    """One information need, under the id that runs and qrels name it by."""

    topics = models.ForeignKey(TopicSet, on_delete=models.CASCADE, related_name="members")
    number = models.PositiveIntegerField(help_text="From 0, in the order of the file")
    external_id = models.CharField(max_length=LONGEST_ID)

    class Meta:
        ordering: ClassVar = ["topics", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["topics", "number"], name="topic_number_once"),
            models.UniqueConstraint(fields=["topics", "external_id"], name="topic_id_once"),
        ]

    def __str__(self) -> str:
        return self.external_id


class TopicVersion(models.Model):
    """The wording of a topic at one time. A change is a new version; the highest is current."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField(default=1)
    title = models.TextField(help_text="The query")
    description = models.TextField(blank=True, help_text="The need in a sentence")
    narrative = models.TextField(blank=True, help_text="What counts as relevant")
    author = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=35, default="en", help_text="BCP 47 tag")
    facets = models.JSONField(default=dict, help_text="Value by name of facet")
    wordings = models.JSONField(
        default=dict,
        help_text="Other wordings of the query by name: of each its text and, where known, its lemmas",
    )
    why = models.CharField(max_length=300, blank=True, help_text="Why the version before was changed")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["topic", "version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["topic", "version"], name="topic_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.topic}: {self.title}"

    def facet_pairs(self) -> list[tuple[str, str]]:
        """Return name and value of each facet; a template that asked the dict for its `values` might be
        given the facet of that name.
        """
        return list(self.facets.items())

    def wording_pairs(self) -> list[tuple[str, dict[str, str]]]:
        """Return name and parts of each wording, as `facet_pairs` does of facets."""
        return list(self.wordings.items())

    def wording(self, name: str, part: str = "text") -> str:
        """Return the text (or the `lemmas`) of one of its wordings; empty where it has none of that name."""
        return str(self.wordings.get(name, {}).get(part, "")).strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert it; a version that is stored is never written again."""
        if not self._state.adding:
            raise ValueError("A version of a topic never changes: add another.")
        super().save(*args, **kwargs)

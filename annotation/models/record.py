"""The record: judgments and events. Written once, never changed."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q

from annotation.models.people import Enrolment
from annotation.models.study import Guideline, Study
from annotation.models.work import Assignment


class AppendOnly(models.Model):
    """A row that `save()` refuses to change; a trigger refuses it in the database as well."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None and not self._state.adding:
            raise TypeError(f"{type(self).__name__} is append-only: add a new row instead of changing one.")
        super().save(*args, **kwargs)


class Outcome(models.TextChoices):
    """The acts that end an item for a reader. *Later* ends nothing and is not a judgment."""

    ANSWER = "answer", "Answer"
    UNDECIDED = "undecided", "Can’t decide"
    BROKEN = "broken", "This item is broken"


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def current(self) -> JudgmentQuerySet:
        """The highest revision of each assignment: what every number and export calls the judgment."""
        newer = Judgment.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
        return self.filter(~models.Exists(newer))


class Judgment(AppendOnly):
    """What one reader said of one item, at one revision."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="judgments")
    revision = models.PositiveIntegerField(default=1)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    answer = models.JSONField(null=True, blank=True, help_text="In canonical terms; null unless an answer")
    reason = models.CharField(max_length=500, blank=True, help_text="Why undecided, or what is broken")
    note = models.TextField(blank=True, help_text="To the researcher")
    annotator = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="judgments")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    order = models.JSONField(default=list, help_text="Canonical option numbers in the order shown")
    active_seconds = models.FloatField(null=True, help_text="Time the page was in front of the reader")
    previews = models.PositiveIntegerField(default=0, help_text="How often a candidate was read in the gap")
    submission = models.UUIDField(unique=True, help_text="Made with the form: a repeated submit finds it")
    door = models.CharField(max_length=12, help_text="web, api or simulation")
    created = models.DateTimeField()

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["assignment", "revision"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="judgment_revision_once"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="judgment_outcome_known"),
            models.CheckConstraint(
                condition=Q(outcome="answer", answer__isnull=False)
                | (~Q(outcome="answer") & Q(answer__isnull=True)),
                name="judgment_answer_iff_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"Revision {self.revision} at {self.assignment}"


class Event(AppendOnly):
    """Who did what when, for everything else that matters."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["study", "verb"], name="event_of_study")]

    def __str__(self) -> str:
        return f"{self.verb} at {self.created}"

"""Who takes part in a study, in which role, and by which invitation they came."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_noop

from annotation.models.study import Study


class Role(models.TextChoices):
    """What a person does in a study."""

    ANNOTATOR = "annotator", gettext_noop("Annotator")
    ADJUDICATOR = "adjudicator", gettext_noop("Adjudicator")
    RESEARCHER = "researcher", gettext_noop("Researcher")


class EnrolmentState(models.TextChoices):
    """Whether a person takes part."""

    ACTIVE = "active", "Active"
    LEFT = "left", "Left"
    WITHDRAWN = "withdrawn", "Withdrawn"


LONGEST_GROUP = 200
"""Characters of the name of a group of items."""


class Enrolment(models.Model):
    """A person in a study. The pseudonym is the only name that leaves the system."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="enrolments")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="enrolments",
        help_text="Null once the person has withdrawn",
    )
    role = models.CharField(max_length=12, choices=Role.choices)
    pseudonym = models.CharField(max_length=8)
    simulated = models.BooleanField(default=False, help_text="A program, not a person")
    quota = models.PositiveIntegerField(null=True, blank=True, help_text="At most so many items")
    consent_version = models.PositiveIntegerField(
        null=True, blank=True, help_text="Version of the consent this reader agreed to"
    )
    consented = models.DateTimeField(null=True, blank=True)
    guideline_seen = models.PositiveIntegerField(
        null=True, blank=True, help_text="Version of the guidelines last shown to this reader"
    )
    group_seen = models.CharField(
        max_length=LONGEST_GROUP,
        default="",
        blank=True,
        help_text="The group of items that was announced to this reader last, and confirmed",
    )
    practised = models.DateTimeField(null=True, blank=True, help_text="When the pass mark was reached")
    state = models.CharField(max_length=10, choices=EnrolmentState.choices, default=EnrolmentState.ACTIVE)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["study", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "user"], name="enrolled_once"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="pseudonym_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="enrolment_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.pseudonym} in {self.study}"

    @property
    def most_work(self) -> int | None:
        """The most work items this reader gets: their own quota, else the study's; None for no limit."""
        return self.study.quota if self.quota is None else self.quota


class Invitation(models.Model):
    """A link that lets people into a study. The link is signed; this row can end it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.ANNOTATOR)
    seats = models.PositiveIntegerField(default=1, help_text="How many people may use it")
    used = models.PositiveIntegerField(default=0)
    expires = models.DateTimeField()
    revoked = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(used__lte=F("seats")), name="invitation_seats_kept"),
        ]

    def __str__(self) -> str:
        return f"Invitation {self.pk} to {self.study}"

    def is_valid(self, now: datetime) -> bool:
        """Return whether somebody can still come in by it."""
        return self.revoked is None and self.used < self.seats and now < self.expires


class ApiToken(models.Model):
    """A script's key: scoped, expiring, stored hashed, shown once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    bound = models.CharField(
        max_length=64, editable=False, help_text="sha256 of the password hash: a new password ends the key"
    )
    scopes = models.JSONField(default=list)
    expires = models.DateTimeField()
    revoked = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class Preferences(models.Model):
    """How one person likes to read and which keys they use: kept for them on every machine."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences"
    )
    reading = models.JSONField(default=dict, help_text="Size, spacing, face and paper")
    keys = models.JSONField(
        default=dict, help_text="Key by act, where it is not the usual one; `off`: no keys"
    )
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"Preferences of {self.user}"

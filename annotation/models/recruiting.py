"""Readers who come by a recruiting service: where it sends them back to, and who they are there."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from annotation.models.people import Enrolment, Invitation
from annotation.models.study import Study

LONGEST_ID, LONGEST_PARAMETER, LONGEST_CODE = 100, 40, 60
LONGEST_ADDRESS = 300


class RecruitingService(models.Model):
    """What an invitation takes from the address that a service calls, and gives back at the end.

    Nothing is ever sent there: readers are shown the code, and an address that they may follow.
    """

    invitation = models.OneToOneField(Invitation, on_delete=models.CASCADE, related_name="service")
    parameter = models.CharField(
        max_length=LONGEST_PARAMETER, help_text="What the service calls the id of a person in an address"
    )
    code = models.CharField(max_length=LONGEST_CODE, blank=True, help_text="Shown to who has done all")
    completed = models.URLField(max_length=LONGEST_ADDRESS, blank=True, help_text="For who has done all")
    screened = models.URLField(
        max_length=LONGEST_ADDRESS, blank=True, help_text="For who failed practice, or found nothing to read"
    )
    left = models.URLField(
        max_length=LONGEST_ADDRESS, blank=True, help_text="For who left, withdrew or did not agree"
    )

    def __str__(self) -> str:
        return f"{self.parameter} by {self.invitation}"


class OutsideId(models.Model):
    """Who a reader is at a recruiting service: personal data, in no export but the list for payment."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    service = models.ForeignKey(RecruitingService, on_delete=models.CASCADE, related_name="ids")
    enrolment = models.OneToOneField(Enrolment, on_delete=models.CASCADE, related_name="outside_id")
    value = models.CharField(max_length=LONGEST_ID)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["value"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "value"], name="outside_id_once_a_study"),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment} at a recruiting service"

"""The data set that a study was read from."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from annotation.models.people import Enrolment
from annotation.models.study import Study


class ReadFrom(models.Model):
    """What a study that was read from a data set keeps of it, so that it can be written again the same.

    owner: the enrolment of who read it in: none of the data set's people, and no line of theirs.
    sha256: of its datapackage.json.
    licence: its SPDX id; empty for none.
    origins: books, sources and jobs behind its items, which are elsewhere.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="read_from")
    owner = models.ForeignKey(Enrolment, on_delete=models.SET_NULL, null=True, related_name="+")
    sha256 = models.CharField(max_length=64)
    licence = models.CharField(max_length=200, blank=True)
    origins = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "read from"
        ordering: ClassVar = ["study"]

    def __str__(self) -> str:
        return f"The data set that {self.study} was read from"

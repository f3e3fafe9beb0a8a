"""The models an installation allows its rankers to load."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from django.conf import settings as site
from django.db import models


class Checkpoint(models.Model):
    """A folder with a model, and the sha256 it must have: the allow-list of what a worker may load.

    A job names a row, never a path, and keeps the sha256, so a folder that changes is refused.
    """

    slug = models.SlugField(max_length=50, unique=True)
    folder = models.CharField(
        max_length=500, help_text="From the data directory on, or whole where it lies elsewhere"
    )
    sha256 = models.CharField(max_length=64, help_text="Over the names and contents of all its files")
    settings = models.JSONField(default=dict, help_text="Pooling, similarity, gap, token limits")
    card = models.JSONField(default=dict, help_text="How it was trained and on what, if it was trained here")
    toy = models.BooleanField(default=False, help_text="Whether it began with random weights")
    created_by = models.ForeignKey(
        site.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]

    def __str__(self) -> str:
        return f"{self.slug} (toy model)" if self.toy else self.slug

    @property
    def place(self) -> Path:
        """The folder now: what lies in the data directory moves with it."""
        return Path(site.DATA_DIR, self.folder)


def kept_path(place: Path, data: Path) -> str:
    """Return a folder as a row keeps it: relative where it lies in the data directory, else absolute."""
    named, real = Path(os.path.abspath(place)), place.resolve()
    for each in (named, real):
        if each.is_relative_to(data) and each.resolve() == real:
            return each.relative_to(data).as_posix()
    return str(real)

"""Columns of numbers that follow from the JSON of the same row."""

from __future__ import annotations

from django.db import models


def derived(meaning: str) -> models.BigIntegerField[int | None, int | None]:
    """A whole number or NULL that is filled in when the row is written; a CHECK compares it with the JSON."""
    return models.BigIntegerField(null=True, editable=False, help_text=meaning)

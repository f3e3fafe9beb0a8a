"""Columns that follow from the JSON of the same row: numbers, as the task type of its study declares them,
and a digest of its texts.

They name no type: what `number_1` is, its `payload_numbers` and `answer_numbers` say. Queries of a report
stay within an index that holds them; no JSON is parsed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from itertools import zip_longest
from typing import Any

from django.db import models

OF_PAYLOAD = ("number_1", "number_2", "number_3")
OF_GOLD = ("gold_1", "gold_2")
OF_ANSWER = ("number_1", "number_2")
SORTED = json.JSONEncoder(sort_keys=True)


def derived(meaning: str) -> models.BigIntegerField[int | None, int | None]:
    """Return a field for a whole number or NULL that is filled in whenever the row is written."""
    return models.BigIntegerField(null=True, editable=False, help_text=meaning)


def fill(row: models.Model, columns: Sequence[str], numbers: Sequence[int | None]) -> None:
    """Put the numbers into the columns, in order; a column for which there is none gets NULL."""
    for column, number in zip_longest(columns, numbers):
        setattr(row, column, number)


def digest_of_texts(payload: Any, gold: Any, explanation: Any) -> str:
    """Return a digest of JSON values, the same however a database orders the keys of theirs."""
    said = SORTED.encode([payload, gold, explanation])
    return blake2b(said.encode(), digest_size=16).hexdigest()

"""A row of the record as bytes: what its digest is of.

A digest is SHA-256 of the row's columns as canonical JSON: keys sorted, no blanks, UTF-8, times in UTC. Who
caused an event is no part of it, since a person may withdraw; everything else of a row never changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import models

from annotation.models import Decision, Erasure, Event, Judgment

TABLES: dict[str, type[models.Model]] = {
    "judgment": Judgment,
    "decision": Decision,
    "event": Event,
    "erasure": Erasure,
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "judgment": (
        "id", "assignment_id", "item_id", "annotator_id", "revision", "outcome", "answer", "reason", "note",
        "guideline_id", "consent_version", "confidence", "basis", "order", "active_seconds", "previews",
        "neighbours", "submission", "channel", "created", "seen", "seen_reading",
    ),
    "decision": (
        "id", "item_id", "revision", "answer", "adopted", "reason", "seen", "adjudicator_id", "submission",
        "created",
    ),
    "event": ("id", "study_id", "verb", "data", "created"),
    "erasure": ("id", "study", "enrolment", "extent", "judgments", "decisions", "events", "keys", "created"),
}  # fmt: skip
"""What is sealed of each table, its key first. A seal names its columns itself: older ones may have fewer."""


def rows(table: str, columns: Sequence[str], first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Yield the key and the digest (32 bytes) of each row that is there from key `first` to key `last`."""
    manager = TABLES[table]._default_manager
    found = manager.filter(pk__range=(first, last)).order_by("pk").values_list(*columns)
    for row in found.iterator(chunk_size=1000):
        yield row[0], digest(row)


def digest(values: Sequence[Any]) -> bytes:
    """Return SHA-256 of the values as canonical JSON."""
    return hashlib.sha256(canonical(list(values))).digest()


def canonical(value: Any) -> bytes:
    """Return JSON of which there is one form only, from SQLite and from PostgreSQL."""
    text = _json(value)
    if "e+" in text or "-0.0" in text:  # there may be a number that PostgreSQL gives back otherwise
        text = _json(_numbers(json.loads(text)))
    return text.encode("utf-8", "surrogatepass")


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)


def _numbers(value: Any) -> Any:
    """Return JSON with its numbers as PostgreSQL's `jsonb` has them: 1e16 as its digits, and no -0.0."""
    if isinstance(value, dict):
        return {name: _numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    if isinstance(value, float):
        return int(Decimal(repr(value))) if "e+" in repr(value) else value or 0.0
    return value


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, (UUID, date)):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in the record")

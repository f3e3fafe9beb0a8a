"""What a report stands on, as numbers and digests of its own: so that a letter of the guidelines, an answer
that was revised later, or a line of a run cannot be changed without a cell that differs, though no measure
looks at it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from annotation.models import Judgment, MachineReading, Study

AT_ONCE = 2_000


def basis(study: Study) -> dict[str, Any]:
    """Return texts, items, people's and machine readers' answers, each counted and with a sha256."""
    return {
        "guidelines": [_text(each.version, each.text) for each in study.guidelines.order_by("version")],
        "consents": [_text(each.version, each.text) for each in study.consents.order_by("version")],
        "items": _digest(
            study.items.order_by("number").values_list("number", "kind", "payload", "gold").iterator(AT_ONCE)
        ),
        "readers": [
            {"pseudonym": each.pseudonym, "role": each.role, **_digest(_judgments(each.pk))}
            for each in study.enrolments.exclude(judgments=None).distinct().order_by("pseudonym")
        ],
        "machine_readers": [
            {"name": each.name, **_digest(_readings(each.pk))}
            for each in study.machine_readers.order_by("pk")
        ],
    }


def _text(version: int, text: str) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"version": version, "letters": len(text), "sha256": digest}


def _judgments(enrolment: int) -> Iterable[tuple[Any, ...]]:
    """Every revision of what somebody judged."""
    found = Judgment.objects.filter(annotator=enrolment)
    found = found.order_by("assignment__item__number", "assignment__slot", "revision")
    names = ("assignment__item__number", "assignment__slot", "revision", "outcome", "answer")
    return found.values_list(*names, "guideline__version", "active_seconds").iterator(AT_ONCE)


def _readings(reader: int) -> Iterable[tuple[Any, ...]]:
    found = MachineReading.objects.filter(reader=reader).order_by("item__number", "replicate", "order")
    names = ("item__number", "replicate", "order", "state", "answer", "position", "probabilities")
    return found.values_list(*names).iterator(AT_ONCE)


def _digest(rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
    """How many rows, and the sha256 of them as lines of JSON, the keys of objects in alphabetical order."""
    digest, n = hashlib.sha256(), 0
    for row in rows:
        n += 1
        digest.update(json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return {"n": n, "sha256": digest.hexdigest()}

"""Readers against what an adjudicator settled: a layer of its own, beside agreement and never in it.

The latest decision on an item takes the place of gold. Items without a decision, and those of which was
decided that no answer can be given, enter nothing here. An adjudicator has the readings before them, so this
is no accuracy against an independent key: whoever is adopted is right.
"""

from __future__ import annotations

from typing import Any

from annotation.adjudication.worklist import current_decisions
from annotation.models import Study
from evaluation.kinds.answers import Judged
from evaluation.kinds.base import DataKind
from evaluation.values.report import Settled

NOTE = (
    "The adjudicator had the readings before them, so this is not accuracy against an independent key: "
    "a reading that was adopted counts as right. Agreement above is computed from the readings alone."
)


def settled(study: Study, kind: DataKind[Any], judged: Judged, seed: int, resamples: int) -> Settled | None:
    """The study's readers against its decisions; None where nothing was settled on the items that count."""
    decisions = list(current_decisions(study))
    keys = set(judged.keys.tolist()) if decisions else ()
    found = [each for each in decisions if each.item_id in keys]
    if not found:
        return None
    task = study.task_type
    answers = {
        each.item_id: kind.decided(judged, task, each.answer) for each in found if each.answer is not None
    }
    adopted = sum(each.adopted is not None for each in found)
    lines = kind.against(judged, answers, seed, resamples) if answers else ()
    return Settled(len(answers), len(found) - len(answers), adopted, lines)

"""The cue audit of a study of choices: its options and their contexts, seen by readers who never read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.models import Study
from evaluation.kinds.answers import work_items
from evaluation.kinds.base import seed_of
from evaluation.metrics.cues.readers import audit
from evaluation.metrics.cues.surface import CueItem, surface
from evaluation.metrics.nominal.table import IntArray
from evaluation.values.cues import CueAudit

MOST_ITEMS = 1_000
"""Items whose texts are read; of more, so many are drawn by the study's seed."""
FEWEST_ITEMS = 2


def cue_audit(study: Study, keys: IntArray | None = None) -> CueAudit:
    """Try readers of the surface on the work items with gold; the same items give the same audit.

    ``keys``: their primary keys, in the items' order, where they are known already.
    """
    seed, task = seed_of(study), study.task_type
    if keys is None:
        found_keys = work_items(study).exclude(gold=None).values_list("pk", flat=True)
        keys = np.fromiter(found_keys, dtype=np.int64)
    drawn = _drawn(keys, seed)
    found, q = [], set()
    for payload, gold in work_items(study).filter(pk__in=drawn).values_list("payload", "gold"):
        options, number = task.options(payload), task.numbers_of_answer(gold)[0]
        q.add(len(options))
        if number is not None and _are_texts(options):
            found.append(CueItem(task.context(payload), options, number))
    problem = _problem(len(keys), len(found), q)
    if problem:
        return CueAudit(len(found), len(keys) - len(drawn), max(q, default=0), seed, problem=problem)
    return CueAudit(len(found), len(keys) - len(drawn), max(q), seed, audit(surface(found), seed))


def _drawn(keys: IntArray, seed: int) -> list[int]:
    """At most MOST_ITEMS of the keys, in their order."""
    if len(keys) > MOST_ITEMS:
        keys = keys[np.sort(np.random.default_rng(seed).choice(len(keys), MOST_ITEMS, replace=False))]
    return list(map(int, keys))


def _are_texts(options: Sequence[Any]) -> bool:
    return len(options) > 1 and all(isinstance(text, str) for text in options)


def _problem(n_with_gold: int, n_found: int, q: set[int]) -> str:
    """Why readers of the surface have nothing to choose from, or empty."""
    if not n_with_gold:
        return "No item has a right answer, so nobody can be right without reading."
    if not n_found:
        return "The items offer no texts to choose from."
    if len(q) > 1:
        return f"Items offer {min(q)} to {max(q)} options: chance needs the same number on every item."
    if n_found < FEWEST_ITEMS:
        return "One item says nothing: the audit needs two at least."
    return ""

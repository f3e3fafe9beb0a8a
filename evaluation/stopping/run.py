"""Readers beside a run whose answers were read in: on each item, how much more often readers are right.

d_i = the mean likeness of the readers' answers to the right one, less that of the run's answer, on item i
(`likeness` of the kind of data: for choices 1 where two are equal, else 0). Paired: what makes an item hard
for both is gone from the difference. Items count where readers answered, the run answered or passed, and a
right answer is known; a run that gave no answer to an item was not right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.models import Judgment, MachineReading, Outcome, Study
from annotation.models.machine import ReadingState
from evaluation.beside.readings import AT_ONCE, Coder
from evaluation.kinds.answers import AsOf, Judged, work_items
from evaluation.kinds.base import DataKind
from evaluation.metrics.common.clusters import clusters_of
from evaluation.metrics.machines.differences import DISTANCE, Differences
from evaluation.metrics.planning.pilot import Sampled


def from_run(study: Study, kind: DataKind[Any], judged: Judged, run: str, as_of: AsOf) -> Sampled | None:
    """The difference on the items of ``as_of`` by what readers had said then; None without the run."""
    reader = study.machine_readers.filter(name=run).first()
    if reader is None:
        return None
    coder, of_look = Coder(study, kind, judged), set(as_of.items.tolist())
    rows = work_items(study).exclude(gold=None).order_by("pk")
    gold, topics = {}, {}
    for key, answer, topic in rows.values_list("pk", "gold", "group").iterator(AT_ONCE):
        if key in of_look and answer is not None:
            gold[key], topics[key] = coder.numbers(answer), topic
    readings = MachineReading.objects.filter(reader=reader, replicate=0, order=0)
    right = dict.fromkeys(gold, 0.0)
    for key, state, answer in readings.values_list("item", "state", "answer").iterator(AT_ONCE):
        if key in gold and state == ReadingState.ANSWERED and answer is not None:
            right[key] = kind.likeness(judged, coder.numbers(answer), gold[key])
    people = {key: list[float]() for key in gold}
    current = Judgment.objects.current_of([each.key for each in judged.readers], as_of.moment)
    told = current.filter(outcome=Outcome.ANSWER).values_list("item", "answer")
    for key, answer in told.iterator(AT_ONCE):
        if key in gold and answer is not None:
            people[key].append(kind.likeness(judged, coder.numbers(answer), gold[key]))
    keys = [key for key in gold if people[key]]
    values = np.array([np.mean(people[key]) - right[key] for key in keys], dtype=np.float64)
    sizes = np.array([len(people[key]) for key in keys], dtype=np.int64)
    sample = Differences(values, sizes, np.ones_like(sizes))
    if not study.task_type.has_groups:
        return Sampled(DISTANCE, sample)
    _, cluster = np.unique([topics[key] for key in keys], return_inverse=True)
    return Sampled(DISTANCE, sample, clusters_of(np.arange(len(keys)), cluster.ravel(), len(keys)))

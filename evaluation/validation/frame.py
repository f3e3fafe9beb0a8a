"""A study's sampling frame and readings as arrays: a machine's answers to all items, people's to some."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Arm as ArmName
from annotation.models import Judgment, Outcome, Sample, SampledItem, Study
from annotation.validation.first_grades import first_grades
from common.wording import natural
from evaluation.beside.readings import Coder, Numbers
from evaluation.kinds.answers import Judged
from evaluation.kinds.base import DataKind
from evaluation.metrics.nominal.table import BoolArray, FloatArray, IntArray
from evaluation.metrics.validation.anchoring import Arm
from retrieval.corpora.models import Pool, Ranked

AT_ONCE = 5_000
ARMS = {ArmName.BLIND: Arm.BLIND, ArmName.REVEAL: Arm.REVEAL, ArmName.PREFILLED: Arm.PREFILLED}


class Frame(NamedTuple):
    """All items that the machine judged, (N,) each.

    ``keys``: primary keys of the items.
    ``stratum``: numbers of strata, ``names`` of which they are; alike ones stand beside each other.
    ``drawn``: whether the item is in the sample.
    ``machine``: the numbers of the machine's answer, () without one.
    ``topic``: numbers of topics, all 0 without; ``topics``: their names.
    """

    keys: IntArray
    stratum: IntArray
    names: tuple[str, ...]
    drawn: BoolArray
    machine: list[Numbers]
    topic: IntArray
    topics: tuple[str, ...]


class Read(NamedTuple):
    """One reading of a sampled item.

    ``place``: of the item in the frame; ``reader``: primary key; ``arm``: how it was given.
    ``first``: the answer before any machine's was seen; of a pre-filled one, the answer.
    ``last``: the current answer of a revealed one, None elsewhere or where it is no answer.
    """

    place: int
    reader: int
    arm: Arm
    first: Numbers
    last: Numbers | None


def frame_of(sample: Sample, coder: Coder) -> Frame:
    """The sampling frame, in the order of the items' numbers."""
    columns = ("item", "stratum", "drawn", "machine_answer", "item__group")
    rows = list(SampledItem.objects.filter(sample=sample).order_by("item__number").values_list(*columns))
    names = sorted({row[1] for row in rows}, key=natural)
    number = {name: at for at, name in enumerate(names)}
    topics, topic = np.unique([row[4] for row in rows], return_inverse=True)
    return Frame(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([number[row[1]] for row in rows], dtype=np.int64),
        tuple(names),
        np.array([row[2] for row in rows], dtype=np.bool_),
        [() if row[3] is None else coder.numbers(row[3]) for row in rows],
        topic.ravel().astype(np.int64),
        tuple(map(str, topics)),
    )


def readings_of(study: Study, frame: Frame, coder: Coder) -> list[Read]:
    """Annotators' answers to sampled items, each with its arm; what is undecided or broken is none."""
    annotators = {each.key for each in coder.judged.readers}
    place = {key: at for at, key in enumerate(frame.keys.tolist()) if frame.drawn[at]}
    current = {
        row[0]: row for row in _answers(Judgment.objects.work().filter(assignment__study=study).current())
    }
    found = []
    for assignment, item, reader, arm, answer in _answers(first_grades(study)):
        if item in place and reader in annotators:
            last = current.get(assignment) if arm == ArmName.REVEAL else None
            after = coder.numbers(last[4]) if last else None
            how = ARMS.get(ArmName(arm), Arm.BLIND) if arm else Arm.BLIND
            found.append(Read(place[item], reader, how, coder.numbers(answer), after))
    for _, item, reader, arm, answer in current.values():
        if arm == ArmName.PREFILLED and item in place and reader in annotators:
            found.append(Read(place[item], reader, Arm.PREFILLED, coder.numbers(answer), None))
    return found


def _answers(rows: Any) -> Iterable[tuple[int, int, int, str, dict[str, Any]]]:
    answered = rows.filter(outcome=Outcome.ANSWER).order_by("pk")
    columns = ("assignment", "item", "annotator", "assignment__arm", "answer")
    return answered.values_list(*columns).iterator(AT_ONCE)  # type: ignore[no-any-return]


class Likeness:
    """How alike answers are to the machine's, by the study's kind of data; equal pairs are compared once."""

    def __init__(self, kind: DataKind[Any], judged: Judged) -> None:
        self.kind, self.judged = kind, judged
        self.known: dict[tuple[Numbers, Numbers], float] = {}

    def __call__(self, first: Numbers, second: Numbers) -> float:
        pair = first, second
        if pair not in self.known:
            self.known[pair] = self.kind.likeness(self.judged, first, second)
        return self.known[pair]


def ranks_of(study: Study, frame: Frame, k: int) -> dict[str, IntArray]:
    """By name of each compared run the rank of every item of the frame, from 1; 0 beyond the first k.

    Compared are the runs of the pools that the items were made of.
    """
    framed = set(frame.keys.tolist())
    rows = study.items.values_list("pk", "provenance").iterator(AT_ONCE)
    made = {key: provenance for key, provenance in rows if key in framed}
    pools = {each.get("pool") for each in made.values()} - {None}
    if not pools:
        return {}
    runs = Pool.runs.through.objects.filter(pool__in=pools).values("run")
    columns = ("run__name", "topic__topic__external_id", "document", "rank")
    ranked = Ranked.objects.filter(run__in=runs, rank__lte=k).values_list(*columns).iterator(AT_ONCE)
    at = {
        (frame.topics[topic], made[key].get("document")): place
        for place, (key, topic) in enumerate(zip(frame.keys.tolist(), frame.topic.tolist(), strict=True))
    }
    found: dict[str, IntArray] = {}
    for run, topic_name, document, rank in ranked:
        ranks = found.setdefault(run, np.zeros(len(frame.keys), dtype=np.int64))
        if (topic_name, document) in at:
            ranks[at[topic_name, document]] = rank
    return dict(sorted(found.items()))


def averaged(values: FloatArray, place: IntArray, n_items: int) -> FloatArray:
    """(N,) mean of the readings' values (M,) of each item, 0 without any."""
    times = np.bincount(place, minlength=n_items)
    return np.asarray(np.bincount(place, values, n_items) / np.maximum(1, times), dtype=np.float64)

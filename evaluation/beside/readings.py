"""What machine readers and people said of the same items: a few queries, whatever kind of data it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.adjudication.worklist import current_decisions
from annotation.models import Item, Judgment, Origin, Outcome, Study
from annotation.models.machine import MachineReader, MachineReading, ReadingState
from evaluation.kinds.answers import Judged, work_items
from evaluation.kinds.base import DataKind

Numbers = tuple[int | None, ...]
AT_ONCE = 5_000


class Again(NamedTuple):
    """A later reading of an item: asked again, or with its options in another order."""

    item: int
    order: int
    answer: Numbers
    position: int | None


@dataclass
class Machine:
    """One machine reader's readings.

    ``row``: the reader.
    ``answers``: of its first readings, by item.
    ``states``: of its first readings, by item.
    ``position``: where the chosen option stood in the first reading, by item.
    ``again``: later readings that have an answer.
    ``instructions``: items whose text looks like an instruction.
    """

    row: MachineReader
    answers: dict[int, Numbers] = field(default_factory=dict)
    states: dict[int, str] = field(default_factory=dict)
    position: dict[int, int] = field(default_factory=dict)
    again: list[Again] = field(default_factory=list)
    instructions: set[int] = field(default_factory=set)


class SaidBy(NamedTuple):
    """All that is laid beside each other, by the item's primary key.

    ``machines``: machine readers that read anything.
    ``people``: answers by reader's primary key.
    ``gold``: right answers; ``settled``: what adjudicators decided, where that is an answer;
    ``topic``: of items, empty without topics.
    """

    machines: list[Machine]
    people: dict[int, dict[int, Numbers]]
    gold: dict[int, Numbers]
    settled: dict[int, Numbers]
    topic: dict[int, str]


def said(study: Study, kind: DataKind[Any], judged: Judged) -> SaidBy | None:
    """Machines' and people's answers to the work items; None where no machine read any."""
    readers = {each.pk: Machine(each) for each in _readers(study)}
    if not readers:
        return None
    coder = Coder(study, kind, judged)
    items = set(judged.keys.tolist())
    for reading in _readings(list(readers)):
        if reading["item"] in items:
            _take(readers[reading["reader"]], reading, coder)
    machines = [each for each in readers.values() if each.states]
    if not machines:
        return None
    keys = {key for each in machines for key in each.states}
    rows = work_items(study).exclude(gold=None).values_list("pk", "gold").iterator(AT_ONCE)
    gold = {key: coder.numbers(answer) for key, answer in rows if key in keys and answer is not None}
    topic = {}
    if study.task_type.has_groups:
        topic = dict(work_items(study).values_list("pk", "group").iterator(AT_ONCE))
    return SaidBy(machines, _people(judged, keys, coder), gold, _settled(study, keys, coder), topic)


class Coder:
    """Answers as the numbers by which their kind compares them; equal answers are read once."""

    def __init__(self, study: Study, kind: DataKind[Any], judged: Judged) -> None:
        self.kind, self.judged, self.task = kind, judged, study.task_type
        self.known: dict[str, Numbers] = {}

    def numbers(self, answer: dict[str, Any]) -> Numbers:
        key = repr(answer)
        if key not in self.known:
            self.known[key] = tuple(self.kind.decided(self.judged, self.task, answer))
        return self.known[key]


def _readers(study: Study) -> Iterable[MachineReader]:
    return study.machine_readers.select_related("prompt", "answer_file").order_by("pk")


def _readings(readers: list[int]) -> Iterator[dict[str, Any]]:
    rows = MachineReading.objects.filter(reader__in=readers).order_by("reader", "item", "replicate", "order")
    names = ("reader", "item", "replicate", "order", "state", "answer", "position", "looks_like_instruction")
    yield from rows.values(*names).iterator(AT_ONCE)


def _take(machine: Machine, reading: Mapping[str, Any], coder: Coder) -> None:
    key, answered = reading["item"], reading["state"] == ReadingState.ANSWERED
    if reading["looks_like_instruction"]:
        machine.instructions.add(key)
    if not reading["replicate"] and not reading["order"]:
        machine.states[key] = reading["state"]
        if answered:
            machine.answers[key] = coder.numbers(reading["answer"])
            if reading["position"] is not None:
                machine.position[key] = reading["position"]
    elif answered:
        machine.again.append(
            Again(key, reading["order"], coder.numbers(reading["answer"]), reading["position"])
        )


def _settled(study: Study, keys: set[int], coder: Coder) -> dict[int, Numbers]:
    """The latest decision on each of these items, where it is an answer."""
    decisions = current_decisions(study).exclude(answer=None)
    rows = decisions.values_list("item", "answer").iterator(AT_ONCE)
    return {item: coder.numbers(answer) for item, answer in rows if item in keys and answer is not None}


def _people(judged: Judged, keys: set[int], coder: Coder) -> dict[int, dict[int, Numbers]]:
    """Current answers of each annotator to these items."""
    found: dict[int, dict[int, Numbers]] = {reader.key: {} for reader in judged.readers}
    current = Judgment.objects.current_of(list(found)).filter(outcome=Outcome.ANSWER)
    for reader, item, answer in current.values_list("annotator", "item", "answer").iterator(AT_ONCE):
        if item in keys and answer is not None:
            found[reader][item] = coder.numbers(answer)
    return found


def query_words(study: Study, keys: Iterable[int]) -> dict[int, float]:
    """The share of the query's words that stand in the text of each item; empty where there is no query."""
    task, wanted = study.task_type, set(keys)
    # All of the study's: a list of keys would be as long as the study, and databases bound such lists.
    rows = Item.objects.filter(study=study).values_list("pk", "payload").iterator(AT_ONCE)
    found = ((key, task.query_overlap(payload)) for key, payload in rows if key in wanted)
    return {key: share for key, share in found if share is not None}


def read_in(row: MachineReader) -> str:
    """Where answers come from that were read in; empty for a reader that is asked."""
    if row.origin == Origin.ASKED:
        return ""
    kept = row.answer_file
    what = f"the file {kept.name}" if row.origin == Origin.FILE else "a ranker of ours"
    return f"{what}, sha256 {kept.sha256}; source: {kept.source}; licence: {kept.licence}"

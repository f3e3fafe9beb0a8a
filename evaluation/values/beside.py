"""Machine readers beside people, as values: what a report holds of them, apart from numbers on people."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.metrics.machines.as_reader import AsReader
from evaluation.metrics.machines.habits import Places, Repeated, WordsAndGrades
from evaluation.metrics.machines.likeness import Compared, MeanLikeness
from evaluation.metrics.nominal.table import IntArray
from evaluation.values.lines import Line


class Against(NamedTuple):
    """A machine and a reader laid beside a third answer.

    ``reader``: the reader's pseudonym.
    ``found``: the comparison; its p is adjusted over the whole table.
    """

    reader: str
    found: Compared


class Confusion(NamedTuple):
    """What people said where the machine said something.

    ``name``: of the question; empty where there is one alone.
    ``labels``: of the values.
    ``counts`` (q, q): answers, the machine's by row, people's by column.
    """

    name: str
    labels: tuple[str, ...]
    counts: IntArray


class ReaderBeside(NamedTuple):
    """A reader in the table in which machines stand, too.

    ``name``: the pseudonym; ``n_answers``: answers to items that a machine read.
    ``gold``: likeness to gold; ``others``: to each other reader; ``majority``: to the majority of the other
    readers; ``settled``: to what adjudicators decided.
    """

    name: str
    n_answers: int
    gold: MeanLikeness
    others: MeanLikeness
    majority: MeanLikeness
    settled: MeanLikeness


class MachineColumn(NamedTuple):
    """One machine reader.

    ``name``: its pseudonym, as M1; ``title``: its endpoint's alias, or the name of a
    system whose answers were read in; ``model``: as the endpoint called it.
    ``scripted``: whether a program answers in a model's place; ``prompt``: the version of its prompt,
    None where its answers were read in.
    ``states``: first readings by what came of them, with a name for people.
    ``n_items``: work items; ``n_read``: of these, those it was asked about.
    ``n_answered``: of these, answered; ``undecided``: share of *can't decide* among what it was asked and
        replied to; None without any.
    ``n_instructions``: items it read whose text looks like an instruction to a model.
    ``gold``: likeness of its answers to gold: accuracy, where one answer is right.
    ``people``: likeness to the answers of all readers; ``readers``: to each, by pseudonym; ``majority``: to
        what more than half of the readers of an item say; ``settled``: to what adjudicators decided.
    ``as_reader``: its agreement with people beside people's among themselves; None without an item that it
        and two people answered.
    ``lines``: the kind's own measures of people's answers with the machine's in the place of gold.
    ``on_gold``: against each reader on items with gold; ``on_others``: against each reader, both beside the
        majority of the others; ``on_settled``: against each reader on items with a decision.
    ``confusions``: for each scale.
    ``repeated``: asked again; None where it was not.
    ``places``: options in several orders; None where they have none.
    ``words``: grades against query words; None without a query.
    ``read_in``: of answers that were read in, from which file, its sha256, source and licence; else empty.
    """

    name: str
    title: str
    model: str
    scripted: bool
    prompt: int | None
    states: tuple[tuple[str, int], ...]
    n_items: int
    n_read: int
    n_answered: int
    undecided: float | None
    n_instructions: int
    gold: MeanLikeness
    people: MeanLikeness
    readers: tuple[tuple[str, MeanLikeness], ...]
    majority: MeanLikeness
    settled: MeanLikeness
    as_reader: AsReader | None
    lines: tuple[Line, ...]
    on_gold: tuple[Against, ...]
    on_others: tuple[Against, ...]
    on_settled: tuple[Against, ...]
    confusions: tuple[Confusion, ...]
    repeated: Repeated | None
    places: Places | None
    words: WordsAndGrades | None
    read_in: str = ""


class Beside(NamedTuple):
    """All machine readers of a study beside its people.

    ``machines``: in the order in which they were made; ``readers``: people with an answer to what they read.
    ``likeness``: what likeness of two answers is, in words.
    ``people_undecided``: share of *can't decide* among people's judgments; None without any.
    ``people_gold``: likeness of people's answers to gold.
    ``between_people``: likeness of two people's answers to one item.
    ``over_topics``: whether intervals are over topics.
    ``level``: of the intervals.
    """

    machines: tuple[MachineColumn, ...]
    readers: tuple[ReaderBeside, ...]
    likeness: str
    people_undecided: float | None
    people_gold: MeanLikeness
    between_people: MeanLikeness
    over_topics: bool
    level: float


class Live(NamedTuple):
    """A machine reader while a study runs.

    ``name``, ``title``: its pseudonym, and its endpoint's alias.
    ``n_read``, ``n_items``: items it was asked about, of how many; ``n_answered``: of these, answered.
    ``people``: likeness of its answers to people's.
    """

    name: str
    title: str
    n_read: int
    n_items: int
    n_answered: int
    people: MeanLikeness

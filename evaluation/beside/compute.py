"""Machine readers beside people: every number of the block, from answers that are laid beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Outcome, Study
from annotation.models.machine import ReadingState
from evaluation.beside.among import by_item, like_a_reader
from evaluation.beside.readings import Machine, Numbers, SaidBy, query_words, read_in, said
from evaluation.kinds.answers import Judged
from evaluation.kinds.base import DataKind, Scale
from evaluation.metrics.common.intervals import LEVEL
from evaluation.metrics.machines import as_reader
from evaluation.metrics.machines.habits import (
    Places,
    Repeated,
    WordsAndGrades,
    places,
    repeated,
    words_and_grades,
)
from evaluation.metrics.machines.likeness import (
    NOTHING,
    MeanLikeness,
    compared,
    corrected,
    mean_likeness,
)
from evaluation.values.beside import Against, Beside, Confusion, Live, MachineColumn, ReaderBeside
from evaluation.values.lines import Line

REPLIED = (ReadingState.ANSWERED, ReadingState.UNDECIDED)
FEWEST_OTHERS = 2
"""Readers of an item beside the one compared, of whom a majority is made."""


def beside(study: Study, kind: DataKind[Any], judged: Judged, seed: int, resamples: int) -> Beside | None:
    """The study's machine readers beside its people; None where no machine has read a work item.

    It reads what people said and changes nothing of it: numbers on people are computed elsewhere.
    """
    found = said(study, kind, judged)
    return None if found is None else Comparison(study, kind, judged, found, seed, resamples).all()


def live(study: Study, kind: DataKind[Any], judged: Judged) -> tuple[Live, ...]:
    """How far each machine reader is, and how alike its answers are to people's, for the live page."""
    found = said(study, kind, judged)
    if found is None:
        return ()
    compare = Comparison(study, kind, judged, found, 0, 0)
    return tuple(
        Live(
            each.row.name,
            each.row.title,
            len(each.states),
            judged.n_items,
            len(each.answers),
            compare.mean(compare.pairs(each.answers, found.people.values())),
        )
        for each in found.machines
    )


class Pairs(NamedTuple):
    """Likenesses, one a pair of answers, and the item of each."""

    values: list[float]
    items: list[int]


class Comparison:
    """Everything of one study, with the likeness of two answers computed once."""

    def __init__(
        self, study: Study, kind: DataKind[Any], judged: Judged, found: SaidBy, seed: int, resamples: int
    ) -> None:
        self.study, self.kind, self.judged, self.said = study, kind, judged, found
        self.seed, self.resamples = seed, resamples
        self.names = {each.key: each.pseudonym for each in judged.readers}
        self.known: dict[tuple[Numbers, Numbers], float] = {}
        self.scales: tuple[Scale, ...] = kind.scales(judged)

    def all(self) -> Beside:
        columns = [self.column(each) for each in self.said.machines]
        tested = zip(
            columns,
            adjusted([each.on_gold for each in columns]),
            adjusted([each.on_others for each in columns]),
            adjusted([each.on_settled for each in columns]),
            as_reader.adjusted([each.as_reader for each in columns]),
            strict=True,
        )
        columns = [
            each._replace(on_gold=gold, on_others=others, on_settled=settled, as_reader=like)
            for each, gold, others, settled, like in tested
        ]
        answers = [each.outcomes for each in self.judged.readers]
        told = sum(each[Outcome.ANSWER] + each[Outcome.UNDECIDED] for each in answers)
        undecided = sum(each[Outcome.UNDECIDED] for each in answers)
        return Beside(
            tuple(columns),
            tuple(self.readers()),
            self.kind.likeness_means,
            undecided / told if told else None,
            self.mean(self.pairs(self.said.gold, self.said.people.values())),
            self.mean(self.between()),
            bool(self.said.topic),
            LEVEL,
        )

    def column(self, machine: Machine) -> MachineColumn:
        answers, row = machine.answers, machine.row
        replied = [state for state in machine.states.values() if state in REPLIED]
        named = [(str(state.label), list(machine.states.values()).count(state)) for state in ReadingState]
        scale = self.scales[0] if self.kind.graded(self.judged) is not None and self.scales else None
        return MachineColumn(
            row.name,
            row.endpoint if row.scripted else row.title,
            row.model,
            row.scripted,
            row.prompt.version if row.prompt else None,
            tuple((name, n) for name, n in named if n),
            self.judged.n_items,
            len(machine.states),
            len(answers),
            replied.count(ReadingState.UNDECIDED) / len(replied) if replied else None,
            len(machine.instructions),
            self.mean(self.pairs(answers, [self.said.gold])),
            self.mean(self.pairs(answers, self.said.people.values())),
            tuple(
                (self.names[key], self.mean(self.pairs(answers, [theirs])))
                for key, theirs in self.said.people.items()
                if theirs
            ),
            self.mean(self.pairs(answers, [self.majority])),
            self.mean(self.pairs(answers, [self.said.settled])),
            like_a_reader(self.likeness, answers, self.said, self.by_item, self.seed),
            self.lines(answers),
            tuple(self.against(answers, lambda _: self.said.gold)),
            tuple(self.against(answers, self._majority)),
            tuple(self.against(answers, lambda _: self.said.settled)),
            tuple(self.confusion(answers, each) for each in self.scales),
            self.repeated(machine, scale),
            self.places(machine),
            self.words(answers, scale),
            read_in(row),
        )

    def likeness(self, first: Numbers, second: Numbers) -> float:
        pair = first, second
        if pair not in self.known:
            self.known[pair] = self.kind.likeness(self.judged, first, second)
        return self.known[pair]

    def pairs(self, ours: Mapping[int, Numbers], theirs: Iterable[Mapping[int, Numbers]]) -> Pairs:
        """Likenesses of our answers to each of theirs on the same item."""
        common = [(item, own, each[item]) for each in theirs for item, own in ours.items() if item in each]
        return Pairs([self.likeness(own, other) for _, own, other in common], [item for item, _, _ in common])

    def between(self) -> Pairs:
        """Likenesses of each two people's answers to one item that a machine read."""
        values: list[float] = []
        items: list[int] = []
        for one, other in combinations(self.said.people.values(), 2):
            found = self.pairs(one, [other])
            values += found.values
            items += found.items
        return Pairs(values, items)

    def mean(self, found: Pairs) -> MeanLikeness:
        if not found.values:
            return NOTHING
        topics = None
        if self.said.topic:
            _, topics = np.unique([self.said.topic[item] for item in found.items], return_inverse=True)
        return mean_likeness(found.values, found.items, topics)

    @cached_property
    def majority(self) -> dict[int, Numbers]:
        """What more than half of at least two readers say of each item."""
        return self._majority(None)

    @cache  # noqa: B019 - the object lives as long as one report
    def _majority(self, without: int | None) -> dict[int, Numbers]:
        others = [each for key, each in self.said.people.items() if key != without]
        found: dict[int, Numbers] = {}
        for item in {item for each in others for item in each}:
            answers = [each[item] for each in others if item in each]
            most = self.kind.majority(answers) if len(answers) >= FEWEST_OTHERS else None
            if most is not None:
                found[item] = tuple(most)
        return found

    def lines(self, answers: Mapping[int, Numbers]) -> tuple[Line, ...]:
        """The kind's own measures of people's answers with the machine's in the place of gold."""
        if not any(self.said.people.values()) or not answers:
            return ()
        return self.kind.against(self.judged, answers, self.seed, self.resamples)

    @cached_property
    def by_item(self) -> dict[int, list[Numbers]]:
        return by_item(self.said.people)

    def readers(self) -> Iterable[ReaderBeside]:
        for key, answers in self.said.people.items():
            if not answers:
                continue
            others = [each for other, each in self.said.people.items() if other != key]
            against = [[self.said.gold], others, [self._majority(key)], [self.said.settled]]
            found = (self.mean(self.pairs(answers, each)) for each in against)
            yield ReaderBeside(self.names[key], len(answers), *found)

    def against(
        self, ours: Mapping[int, Numbers], third_of: Callable[[int], Mapping[int, Numbers]]
    ) -> Iterable[Against]:
        """The machine and each reader beside a third answer, on the items that all three have."""
        for key, theirs in self.said.people.items():
            third = third_of(key)
            items = sorted(ours.keys() & theirs.keys() & third.keys())
            found = compared(
                [self.likeness(ours[item], third[item]) for item in items],
                [self.likeness(theirs[item], third[item]) for item in items],
                self.seed,
            )
            if found is not None:
                yield Against(self.names[key], found)

    def confusion(self, answers: Mapping[int, Numbers], scale: Scale) -> Confusion:
        counts = np.zeros((len(scale.labels),) * 2, dtype=np.int64)
        for theirs in self.said.people.values():
            for item, own in answers.items():
                pair = (own[scale.place], theirs[item][scale.place]) if item in theirs else ()
                if pair and all(each is not None and each >= 0 for each in pair):
                    counts[pair] += 1
        return Confusion(scale.name, scale.labels, counts)

    def repeated(self, machine: Machine, scale: Scale | None) -> Repeated | None:
        same = [each for each in machine.again if not each.order and each.item in machine.answers]
        if not same:
            return None
        first = [machine.answers[each.item] for each in same]
        likeness = [self.likeness(one, each.answer) for one, each in zip(first, same, strict=True)]
        items = [each.item for each in same]
        if scale is None:
            return repeated(likeness, items)
        return repeated(likeness, items, [one[scale.place] or 0 for one in first], len(scale.labels))

    def places(self, machine: Machine) -> Places | None:
        """Positions of the chosen options of items that were shown in more than one order."""
        later = [each for each in machine.again if each.order and each.item in machine.position]
        shown = [each for each in later if each.position is not None]
        if not shown or self.judged.options < 2:
            return None
        first = [machine.position[item] for item in sorted({each.item for each in shown})]
        likeness = [self.likeness(machine.answers[each.item], each.answer) for each in shown]
        chosen = first + [each.position for each in shown if each.position is not None]
        return places(chosen, self.judged.options, likeness, [each.item for each in shown], self.seed)

    def words(self, answers: Mapping[int, Numbers], scale: Scale | None) -> WordsAndGrades | None:
        if scale is None:
            return None
        shares = query_words(self.study, answers)
        read = {item: self._mean_grade(item, scale.place) for item in shares}
        both = [item for item, mean in sorted(read.items()) if mean is not None]
        if not both:
            return None
        return words_and_grades(
            [shares[item] for item in both],
            [answers[item][scale.place] or 0 for item in both],
            [read[item] or 0.0 for item in both],
            len(scale.labels),
            self.seed,
        )

    def _mean_grade(self, item: int, place: int) -> float | None:
        """The mean of people's grades of an item; None without any."""
        grades = [each[item][place] for each in self.said.people.values() if item in each]
        known = [grade for grade in grades if grade is not None]
        return sum(known) / len(known) if known else None


def adjusted(found: Sequence[Sequence[Against]]) -> list[tuple[Against, ...]]:
    """The rows of one table, machine by machine, with p adjusted over all of them by Holm's method."""
    left = iter(corrected([each.found for rows in found for each in rows]))
    return [tuple(each._replace(found=next(left)) for each in rows) for rows in found]

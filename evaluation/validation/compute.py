"""All numbers of a validation sample: estimates on all items, the anchoring meter, the order of systems."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.utils import timezone

from annotation.models import Sample, StrataRule, Study
from annotation.tasktypes.base import Invalid
from annotation.validation.whole_topics import WHOLE_TOPICS
from evaluation.beside.readings import Coder
from evaluation.kinds.base import DataKind, seed_of
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.nominal.table import BoolArray, IntArray
from evaluation.metrics.validation.anchoring import Arm, Meter, Readings, meter
from evaluation.metrics.validation.estimands import (
    Estimand,
    Estimated,
    agreement_with_machine,
    dcg,
    difference,
    estimated,
    histogram,
    mean_grade,
    precision,
    share_from,
)
from evaluation.metrics.validation.rankings import RankEffect, rank_effect, stands_for
from evaluation.metrics.validation.reveals import Revisions, revisions
from evaluation.metrics.validation.weighted_kappa import DesignKappa, weighted_kappa
from evaluation.metrics.validation.whole_topics import by_topic, estimated_of_topics, ndcg
from evaluation.validation.frame import Frame, Likeness, Read, averaged, frame_of, ranks_of, readings_of

TOP = 10
LEVEL_OF_RELEVANCE = 1


class Validation(NamedTuple):
    """What a validation sample says.

    ``slug``, ``title``: of the study; ``source``: whose answers the machine's are; ``seed``, ``computed``.
    ``rule``, ``share``: of the draw; ``n_items``: N; ``n_drawn``: the sample; ``n_judged``: with an answer
    that
        no machine's answer came before; ``n_without``: items without an answer of the machine.
    ``level``: the least grade that counts as relevant; ``k``: of the first ranks.
    ``labels``: of the grades; empty where answers are none.
    ``estimates``: on all items; ``kappa``: of people and machine, quadratic, None where answers are no
    grades.
    ``simulated``: pseudonyms of readers who are programs; ``people``: whether others read, too.
    ``readers``: pseudonyms, in the order of the meter's numbers; ``arms``: readings in each arm.
    ``meter``: None without pre-filled readings; ``reveal``: None without revealed ones.
    ``runs``: compared runs; ``ranks``: their order under both arms, None with fewer than two.
    ``one_number``: whether an answer is one choice or grade; else agreement is how alike answers are.
    ``n_topics``, ``n_whole``: where whole topics were drawn, the topics, and those judged to their end; else
    0.
    ``problem``: why there is nothing, else empty.
    """

    slug: str
    title: str
    computed: datetime
    seed: int = 0
    source: str = ""
    rule: str = ""
    share: float = 0.0
    n_items: int = 0
    n_drawn: int = 0
    n_judged: int = 0
    n_without: int = 0
    level: int = LEVEL_OF_RELEVANCE
    k: int = TOP
    labels: tuple[str, ...] = ()
    estimates: tuple[Estimated, ...] = ()
    kappa: DesignKappa | None = None
    simulated: tuple[str, ...] = ()
    people: bool = True
    readers: tuple[str, ...] = ()
    arms: tuple[tuple[Arm, int], ...] = ()
    meter: Meter | None = None
    reveal: Revisions | None = None
    runs: tuple[str, ...] = ()
    ranks: RankEffect | None = None
    one_number: bool = True
    n_topics: int = 0
    n_whole: int = 0
    problem: str = ""


def validation(study: Study, level: int = LEVEL_OF_RELEVANCE, now: datetime | None = None) -> Validation:
    """The numbers of the study's sample. What stands in the way of them is a sentence, not an error."""
    nothing = Validation(study.slug, " ".join(study.title.split()), now or timezone.now(), level=level)
    sample = Sample.objects.filter(study=study).first()
    if sample is None:
        return nothing._replace(
            problem="The study’s items are no sample of what a machine judged: nothing can be validated."
        )
    try:
        kind = kind_of(study)
        return Sampled(study, sample, kind, nothing).all()
    except (Unreadable, Invalid) as error:
        return nothing._replace(problem=str(error))


class Sampled:
    """One study's sample, read once."""

    def __init__(self, study: Study, sample: Sample, kind: DataKind[Any], nothing: Validation) -> None:
        self.study, self.sample, self.nothing = study, sample, nothing
        judged = kind.read(study)
        coder = Coder(study, kind, judged)
        self.likeness = Likeness(kind, judged)
        graded = kind.graded(judged)
        self.grades = graded.highest + 1 if graded else 0
        self.labels = graded.labels or tuple(map(str, range(self.grades))) if graded else ()
        self.names = {each.key: each.pseudonym for each in judged.readers}
        self.programs = {each.key for each in judged.readers if each.simulated}
        self.frame: Frame = frame_of(sample, coder)
        self.readings = readings_of(study, self.frame, coder)
        self.k = sample.top_k or TOP
        self.one_number = study.task_type.is_one_number
        self.ranks = ranks_of(study, self.frame, self.k)
        self.of_topics = self.frame.names == (WHOLE_TOPICS,)

    def all(self) -> Validation:
        frame, sample = self.frame, self.sample
        known = [each for each in self.readings if each.arm != Arm.PREFILLED]
        judged = np.zeros(len(frame.keys), dtype=np.bool_)
        judged[[each.place for each in known]] = True
        found = self.nothing._replace(
            seed=seed_of(self.study),
            source=sample.source,
            rule="none, whole topics" if self.of_topics else StrataRule(sample.rule).label,
            share=sample.share,
            n_items=len(frame.keys),
            n_drawn=int(frame.drawn.sum()),
            n_judged=int(judged.sum()),
            n_without=sum(not each for each in frame.machine),
            k=self.k,
            one_number=self.one_number,
            labels=self.labels,
            runs=tuple(self.ranks),
        )
        if not self.readings:
            return found._replace(problem="Nobody has answered an item of the sample yet.")
        read = {each.reader for each in self.readings}
        compared = [each for each in self.readings if frame.machine[each.place]]
        keys = sorted({each.reader for each in compared})
        arms = np.array([each.arm for each in compared], dtype=np.int64)
        if self.of_topics:
            whole = self.whole(judged)
            found = found._replace(n_topics=len(whole), n_whole=int(whole.sum()))
        return found._replace(
            estimates=tuple(self.estimates(known, judged)),
            kappa=self.kappa(known, judged),
            simulated=tuple(name for key, name in self.names.items() if key in read & self.programs),
            people=bool(read - self.programs),
            readers=tuple(self.names[key] for key in keys),
            arms=tuple((arm, int((arms == arm).sum())) for arm in Arm),
            meter=self.meter(compared, keys) if (arms == Arm.PREFILLED).any() else None,
            reveal=self.reveal(compared),
            ranks=self.systems(compared),
        )

    def estimates(self, known: list[Read], judged: BoolArray) -> list[Estimated]:
        place = np.array([each.place for each in known], dtype=np.int64)
        # Two readers of one item make one value of it: what they share is the item, and items were drawn.
        made = self.of_grades(known, place) if self.grades else []
        alike = np.array([self.to_machine(each.first, each.place) for each in known])
        made.append(agreement_with_machine(averaged(alike, place, len(self.frame.keys))))
        if self.of_topics:
            return self.over_topics(made, known, place, judged)
        set_apart = self.sample.rule == StrataRule.GRADE_IN_TOP and bool(self.sample.runs)
        return [estimated(one, self.frame.stratum, judged, set_apart=set_apart) for one in made]

    def whole(self, judged: BoolArray) -> BoolArray:
        """(T,) whether a topic was drawn and all of its items are judged."""
        n = len(self.frame.topics)
        items, done = np.bincount(self.frame.topic, minlength=n), np.bincount(self.frame.topic, judged, n)
        return np.asarray(items == done, dtype=np.bool_)

    def over_topics(
        self, made: list[Estimand], known: list[Read], place: IntArray, judged: BoolArray
    ) -> list[Estimated]:
        topic, n = self.frame.topic, len(self.frame.topics)
        found = [by_topic(each, topic, n) for each in made]
        if self.grades:
            grades = np.array([each.first[0] for each in known], dtype=np.float64)
            human = averaged(grades, place, len(self.frame.keys))
            found += [
                ndcg(name, self.k, ranks, topic, n, human, self.machine_grades)
                for name, ranks in self.ranks.items()
            ]
        whole = self.whole(judged)
        return [estimated_of_topics(each, whole) for each in found]

    def of_grades(self, known: list[Read], place: IntArray) -> list[Estimand]:
        human = np.array([each.first[0] for each in known], dtype=np.int64)
        machine, n, level = self.machine_grades, len(self.frame.keys), self.nothing.level
        grade = averaged(human.astype(np.float64), place, n)
        relevant = averaged((human >= level).astype(np.float64), place, n)
        made = [mean_grade(grade, machine), share_from(level, grade, machine)._replace(human=relevant)]
        for number, one in enumerate(histogram(self.grades, grade, machine)):
            made.append(one._replace(human=averaged((human == number).astype(np.float64), place, n)))
        runs = []
        for name, ranks in self.ranks.items():
            one = precision(name, self.k, ranks, len(self.frame.topics), level, grade, machine)
            runs.append(one._replace(human=relevant))
            made.append(runs[-1])
        made += [
            dcg(name, self.k, ranks, len(self.frame.topics), grade, machine)
            for name, ranks in self.ranks.items()
        ]
        return made + [difference(runs[0], other) for other in runs[1:]]

    @property
    def machine_grades(self) -> IntArray:
        """(N,) the machine's grade, 0 without one: such items have a stratum of their own."""
        return np.array([(each[0] or 0) if each else 0 for each in self.frame.machine], dtype=np.int64)

    def to_machine(self, answer: tuple[int | None, ...], place: int) -> float:
        return self.likeness(answer, self.frame.machine[place]) if self.frame.machine[place] else 0.0

    def kappa(self, known: list[Read], judged: BoolArray) -> DesignKappa | None:
        """Of the first reading of each item that the machine has answered; None of whole topics, since its
        jackknife leaves out items."""
        told = np.array([bool(each) for each in self.frame.machine])
        if self.of_topics or not self.grades or (judged & told).sum() < 2:
            return None
        human = np.zeros(len(judged), dtype=np.int64)
        for each in reversed(known):
            human[each.place] = each.first[0] or 0
        human, machine = human[told], self.machine_grades[told]
        return weighted_kappa(human, machine, self.frame.stratum[told], judged[told], self.grades)

    def meter(self, compared: list[Read], keys: list[int]) -> Meter:
        # Answers with several parts or places make no strata: they hardly ever come twice.
        machine = np.array(
            [(self.frame.machine[each.place][0] or 0) * self.one_number for each in compared], dtype=np.int64
        )
        grade = (
            np.array([each.first[0] for each in compared], dtype=np.int64)
            if self.grades
            else np.full(len(compared), -1)
        )
        return meter(
            Readings(
                np.array([each.arm for each in compared], dtype=np.int64),
                np.array([keys.index(each.reader) for each in compared], dtype=np.int64),
                machine,
                np.array([self.to_machine(each.first, each.place) for each in compared]),
                grade,
                machine,
            )
        )

    def reveal(self, compared: list[Read]) -> Revisions | None:
        revealed = [each for each in compared if each.arm == Arm.REVEAL]
        if not revealed:
            return None
        shown = [each for each in revealed if each.last is not None]
        before = [self.distance(each.first, each.place) for each in shown]
        after = [self.distance(each.last or (), each.place) for each in shown]
        changed = [each.first != each.last for each in shown]
        return revisions(before, after, changed, withdrawn=len(revealed) - len(shown))

    def distance(self, answer: tuple[int | None, ...], place: int) -> float:
        """To the machine's answer: in grades, or what likeness lacks to 1."""
        if self.grades:
            return float(abs((answer[0] or 0) - self.machine_grades[place]))
        return 1.0 - self.to_machine(answer, place)

    def systems(self, compared: list[Read]) -> RankEffect | None:
        """Precision of the compared runs from blind and from pre-filled readings; the first answers of
        *reveal* stay out, so that both are read under one condition alone."""
        kept = [each for each in compared if each.arm != Arm.REVEAL]
        shown = np.array([each.arm == Arm.PREFILLED for each in kept], dtype=np.bool_)
        if len(self.ranks) < 2 or not self.grades or not shown.any() or shown.all():
            return None
        place = np.array([each.place for each in kept], dtype=np.int64)
        value = np.array([(each.first[0] or 0) >= self.nothing.level for each in kept], dtype=np.float64)
        gains = np.stack([((ranks > 0) & (ranks <= self.k))[place] / self.k for ranks in self.ranks.values()])
        weight = stands_for(self.frame.stratum, place, shown)
        return rank_effect(gains, value, weight, self.frame.topic[place], shown, seed_of(self.study))

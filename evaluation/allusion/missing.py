"""The runs that the three tables lack: which they are, and how they are made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from evaluation.allusion import systems
from evaluation.allusion.queries.wordings import MANUAL, SOURCE, WINDOW
from evaluation.allusion.systems import EVERY, TITLE, TOKENS, WORDS, System
from retrieval.corpora.models import Corpus, Run, SearchJob, TopicSet
from retrieval.corpora.searching import plans, running, similarity
from retrieval.corpora.searching.filters import ALL, Filter
from retrieval.corpora.searching.plans import WORDING, SimilarityPlan
from retrieval.engine.ranking import rankers

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LONGEST = 80
"""Characters of the name of a run."""
DEPTH = 1_000
PARTS = 1_000
"""Steps of a bar that each run takes, whatever it counts itself."""


@dataclass(frozen=True)
class Asked:
    """Which runs are wanted.

    corpus, topics: what is searched and asked.
    systems: by name; none for all.
    words: tokens, lemmas, or both.
    wordings: of the queries; none for manual, source and every window, or the title where there are none.
    named: what the installation keeps, by parameter (`lemmas`, `synonyms`, `stop_list`).
    vectors: names of word vectors by words; an empty name for the only ones there are.
    genres: of the documents that are searched; none for all.
    depth: documents kept of each topic.
    """

    corpus: Corpus
    topics: TopicSet
    systems: Sequence[str] = ()
    words: Sequence[str] = WORDS
    wordings: Sequence[str] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    vectors: Mapping[str, str] = field(default_factory=dict)
    genres: Sequence[str] = ()
    depth: int = DEPTH


class Wanted(NamedTuple):
    """One run that is not here.

    name: that it will have.
    system: which it is.
    words: tokens or lemmas.
    wording: of its queries.
    plan: how it is made.
    """

    name: str
    system: System
    words: str
    wording: str
    plan: SimilarityPlan


class Missing(NamedTuple):
    """What is to be made.

    wanted: the runs.
    there: how many are here already.
    begun: how many a search is making that was launched.
    refused: of those that cannot be made, why not, each sentence once, with the systems it is about.
    """

    wanted: tuple[Wanted, ...]
    there: int
    begun: int
    refused: Mapping[str, tuple[str, ...]]


def missing(asked: Asked, launched: Sequence[SearchJob] = ()) -> Missing:
    """Return the runs that are wanted and not here, and why others cannot be made.

    `launched`: searches of the corpus that have not ended; what they make is not wanted. A run over other
    documents of the corpus than are asked for does not stand for one that is wanted.

    Raises:
        BadField: a system or wording that is none.
    """
    runs = Run.objects.filter(corpus=asked.corpus, topics=asked.topics).order_by("pk")
    searched = Filter(genres=_genres(asked)).name
    chosen = systems.chosen(each for each in runs if systems.searches(each) in ("", searched))
    names = set(Run.objects.filter(corpus=asked.corpus).values_list("name", flat=True))
    making = {_as_text(each.plan) for each in launched if each.topics_id == asked.topics.pk}
    names |= {each.name for each in launched}
    wanted: list[Wanted] = []
    refused: dict[str, list[str]] = {}
    there = begun = 0
    for system, words, wording in _combinations(asked):
        try:
            plan = similarity.written_out(asked.corpus, _plan(asked, system, words, wording))
        except BadInput as error:
            refused.setdefault(str(error), []).append(f"{system.label} ({words})")
            continue
        if chosen.of(system, words, wording, str(plan.parameters.get("vectors") or "")):
            there += 1
            continue
        if _as_text(plans.as_json(plan)) in making:
            begun += 1
            continue
        name = _free(_name(asked.topics, system, words, wording), names)
        names.add(name)
        wanted.append(Wanted(name, system, words, wording, plan))
    said = {sentence: tuple(dict.fromkeys(named)) for sentence, named in refused.items()}
    return Missing(tuple(wanted), there, begun, said)


def make(
    asked: Asked, wanted: Sequence[Wanted], by: User | None = None, progress: Progress = silent
) -> Iterator[Run | BadInput]:
    """Make the runs, and yield each when it is stored, or why it cannot be: the others are made all the same.

    What was begun goes on behind its last topic.
    """
    for number, each in enumerate(wanted):
        told = _Part(progress, number, len(wanted), each.name)
        try:
            yield running.make_run(asked.corpus, asked.topics, each.name, each.plan, by, told)
        except BadInput as error:
            yield BadInput(f"Not made: {each.name}. {error}")


class _Part:
    """The progress of one run among all."""

    def __init__(self, progress: Progress, number: int, runs: int, name: str) -> None:
        self._progress, self._number, self._runs, self._name = progress, number, runs, name

    def __call__(self, done: int, total: int, stage: str) -> None:
        # Reading documents and searching topics begin from 0 each: they count half of a run.
        begun = 0 if stage.startswith("reading") else PARTS // 2
        part = begun + PARTS // 2 * done // max(total, 1)
        said = f"run {self._number + 1} of {self._runs}, {self._name}: {stage}"
        self._progress(self._number * PARTS + part, self._runs * PARTS, said)


def usual_wordings(topics: TopicSet) -> list[str]:
    """Return the wordings that tables have columns of, those there are."""
    usual = [each for each in topics.wordings if each in (MANUAL, SOURCE) or each.startswith(WINDOW)]
    return sorted(usual, key=systems.wording_order) or [TITLE]


def _combinations(asked: Asked) -> Iterator[tuple[System, str, str]]:
    for each in asked.wordings:
        if each != TITLE and each not in asked.topics.wordings:
            there = ", ".join(asked.topics.wordings) or "none"
            raise BadField("wording", f"The topics have no wording “{each}”; they have: {there}.")
    chosen = [systems.system(key) for key in asked.systems] or EVERY
    for wording in asked.wordings or usual_wordings(asked.topics):
        for system in chosen:
            for words in asked.words:
                yield system, words, wording


def _plan(asked: Asked, system: System, words: str, wording: str) -> SimilarityPlan:
    taken = rankers.get(system.ranker).parameters
    named = {name: value for name, value in asked.named.items() if value and name in taken}
    if words == TOKENS:
        named.pop("lemmas", None)
    if systems.uses_vectors(system):
        named["vectors"] = asked.vectors.get(words, "")
    return SimilarityPlan(
        fields=(TITLE if wording == TITLE else f"{WORDING}{wording}",),
        genres=_genres(asked),
        depth=asked.depth,
        ranker=system.ranker,
        parameters={"words": words, **system.fixed, **named},
    )


def _as_text(plan: Mapping[str, Any]) -> str:
    return json.dumps(plan, sort_keys=True)


def _genres(asked: Asked) -> tuple[str, ...]:
    return tuple(asked.genres) or (ALL,)


def _name(topics: TopicSet, system: System, words: str, wording: str) -> str:
    rest = f"{system.key}-{words}-{wording}"
    return f"{topics.slug[: LONGEST - len(rest) - 4]}-{rest}"


def _free(name: str, names: set[str]) -> str:
    number, free = 1, name
    while free in names:
        number += 1
        free = f"{name}-{number}"
    return free

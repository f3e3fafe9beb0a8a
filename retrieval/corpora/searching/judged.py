"""Feedback from judgments: documents that somebody judged relevant, and what that leaves to be evaluated.

A document that feedback was taken from is known to be relevant; to find it again is no merit. It is left out
of the run, and of every evaluation of this run and of those beside it (the residual corpus).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from common.errors import BadField
from retrieval.corpora.models import Corpus, Grade, Qrels, Run

RESIDUAL = "residual"
"""Under this name a run keeps which documents were used, by topic."""


@dataclass(frozen=True)
class Judged:
    """Which judgments feedback comes from.

    qrels: their name.
    level: the least grade that is relevant; None: half the highest that was given, rounded up.
    """

    qrels: str
    level: int | None = None


@dataclass(frozen=True)
class Relevant:
    """Documents that were judged relevant.

    qrels: the judgments.
    level: the least grade that counts.
    numbers: of the documents by key of the topic, the best grade first, then by number.
    """

    qrels: Qrels
    level: int
    numbers: Mapping[int, Sequence[int]]

    def used(self, by_topic: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return what a run keeps: the judgments, and the ids of the documents that were used by topic."""
        return {
            "qrels": self.qrels.name,
            "sha256": self.qrels.sha256,
            "level": self.level,
            "used": dict(by_topic),
        }


def relevant(corpus: Corpus, judged: Judged) -> Relevant:
    """Return the documents that these judgments call relevant.

    Raises:
        BadField: the corpus has no such judgments, the level is none, or no document reaches it.
    """
    qrels = Qrels.objects.filter(corpus=corpus, name=judged.qrels).first()
    if qrels is None:
        names = ", ".join(Qrels.objects.filter(corpus=corpus).values_list("name", flat=True)[:20]) or "none"
        raise BadField(
            "judged", f'The corpus "{corpus.slug}" has no judgments "{judged.qrels}"; it has: {names}.'
        )
    rows = list(
        Grade.objects.filter(qrels=qrels, grade__gte=1)
        .order_by("topic", "-grade", "document__number")
        .values_list("topic", "document__number", "grade")
    )
    highest = max((grade for _, _, grade in rows), default=0)
    if not highest:
        raise BadField("judged", f'No document of "{qrels.name}" was judged relevant: every grade is 0.')
    level = (highest + 1) // 2 if judged.level is None else judged.level
    if not 1 <= level <= highest:
        raise BadField(
            "judged_level",
            f'No document of "{qrels.name}" has the grade {level} or more; the highest is {highest}.'
            if level >= 1
            else f"The level of relevance is {level}; it must be 1 or more.",
        )
    numbers: dict[int, list[int]] = {}
    for topic, number, grade in rows:
        if grade >= level:
            numbers.setdefault(topic, []).append(number)
    return Relevant(qrels, level, numbers)


def residual(runs: Iterable[Run]) -> dict[str, set[str]]:
    """Return the ids of the documents that any of these runs took feedback from, by id of the topic."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for topic, documents in run.parameters.get(RESIDUAL, {}).get("used", {}).items():
            found.setdefault(topic, set()).update(documents)
    return found

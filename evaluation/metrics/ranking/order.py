"""The order of a run's documents: the one place where equal scores are decided.

Two rules, named in every report:

- ``trec_eval``: score descending as float64, equal scores by document id descending, byte by byte. A rank
  column is not looked at. trec_eval before version 10 compares scores as float32, so that scores which differ
  beyond the seventh digit tie there and not here.
- ``stored``: the order in which the documents come, as our own rankings do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.metrics.nominal.table import FloatArray, IntArray

TREC_EVAL, STORED = "trec_eval", "stored"
RULES = (TREC_EVAL, STORED)
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Ordered:
    """A run in order.

    ``documents``: ids of V documents, each once.
    ``numbers``: {topic: (D,) the numbers in ``documents`` of those it ranks, best first}.
    ``tied``: the topics in which two documents have one score.
    """

    documents: tuple[str, ...]
    numbers: Mapping[str, NDArray[np.integer[Any]]]
    tied: frozenset[str]

    def first(self, topic: str, depth: int | None = None) -> list[str]:
        """The ids of the best documents of a topic, best first; all of them without a depth."""
        return [self.documents[number] for number in self.numbers.get(topic, _NONE)[:depth].tolist()]

    def numbers_of(self, documents: Sequence[str]) -> IntArray:
        """(D,) the numbers of these ids; -1 for one that the run does not have."""
        found = map(self._number.get, documents, repeat(-1))
        return np.fromiter(found, dtype=np.int64, count=len(documents))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {document: number for number, document in enumerate(self.documents)}


def ordered(run: Mapping[str, tuple[Sequence[str], ArrayLike]], rule: str = TREC_EVAL) -> Ordered:
    """Put {topic: (document ids (D,), scores (D,))} in order by ``rule``, one of ``RULES``.

    Raises ValueError for a rule that is none, ids and scores of unequal length, and a score that is not a
    number; the sentence names the topic.
    """
    if rule not in RULES:
        raise ValueError(f"The ties rule must be one of {', '.join(RULES)}, not {rule!r}.")
    number: dict[str, int] = {}
    numbers: dict[str, IntArray] = {}
    tied = set[str]()
    for topic, (documents, given) in run.items():
        scores = np.asarray(given, dtype=np.float64)
        if scores.shape != (len(documents),):
            raise ValueError(f"Topic {topic!r} has {len(documents)} documents, but {scores.size} scores.")
        if np.isnan(scores).any():
            raise ValueError(f"Topic {topic!r} has a score that is not a number.")
        best_first, ties = list(documents), len(np.unique(scores)) < len(scores)
        if rule == TREC_EVAL:
            best_first, ties = _by_score(documents, scores)
        numbers[topic] = np.array(
            [number.setdefault(each, len(number)) for each in best_first], dtype=np.int64
        )
        if ties:
            tied.add(topic)
    return Ordered(tuple(number), numbers, frozenset(tied))


def _by_score(documents: Sequence[str], scores: FloatArray) -> tuple[list[str], bool]:
    """Best first, and whether scores were equal."""
    if (scores[1:] <= scores[:-1]).all():  # as most run files are written
        found, sorted_scores = list(documents), scores
    else:
        order = np.argsort(-scores, kind="stable")
        found, sorted_scores = [documents[place] for place in order.tolist()], scores[order]
    equal = sorted_scores[1:] == sorted_scores[:-1]
    if not equal.any():
        return found, False
    # Where a group of equal scores begins, and the place behind it.
    edges = np.diff(np.concatenate(([False], equal, [False])).astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1).tolist(), (np.flatnonzero(edges == -1) + 1).tolist()
    for start, end in zip(starts, ends, strict=True):
        # Text compares by code point, which is the order of its bytes in UTF-8.
        found[start:end] = sorted(found[start:end], reverse=True)
    return found, True

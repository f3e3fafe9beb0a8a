"""The order of a run's documents: the one place where equal scores are decided.

Two rules, named in every report:

- ``trec_eval``: score descending as float64, equal scores by document id descending, byte by byte. A rank
  column is not looked at. trec_eval before version 10 compares scores as float32, so that scores which differ
  beyond the seventh digit tie there and not here.
- ``stored``: the order in which the documents come, as our own rankings do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.metrics.nominal.table import FloatArray

TREC_EVAL, STORED = "trec_eval", "stored"
RULES = (TREC_EVAL, STORED)

Rankings = Mapping[str, Sequence[str]]
"""{topic: document ids, best first}."""


class Ordered(NamedTuple):
    """A run in order.

    ``rankings``: {topic: document ids, best first}.
    ``tied``: the topics in which two documents have one score.
    """

    rankings: dict[str, list[str]]
    tied: frozenset[str]


def ordered(run: Mapping[str, tuple[Sequence[str], ArrayLike]], rule: str = TREC_EVAL) -> Ordered:
    """Put {topic: (document ids (D,), scores (D,))} in order by ``rule``, one of ``RULES``.

    Raises ValueError for a rule that is none, ids and scores of unequal length, and a score that is not a
    number; the sentence names the topic.
    """
    if rule not in RULES:
        raise ValueError(f"The ties rule must be one of {', '.join(RULES)}, not {rule!r}.")
    rankings: dict[str, list[str]] = {}
    tied = set[str]()
    for topic, (documents, given) in run.items():
        scores = np.asarray(given, dtype=np.float64)
        if scores.shape != (len(documents),):
            raise ValueError(f"Topic {topic!r} has {len(documents)} documents, but {scores.size} scores.")
        if np.isnan(scores).any():
            raise ValueError(f"Topic {topic!r} has a score that is not a number.")
        if rule == STORED:
            rankings[topic] = list(documents)
            ties = len(np.unique(scores)) < len(scores)
        else:
            rankings[topic], ties = _by_score(documents, scores)
        if ties:
            tied.add(topic)
    return Ordered(rankings, frozenset(tied))


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

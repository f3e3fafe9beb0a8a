"""What only studies of topics have: drift while a topic is judged, overlap of relevant sets, and what of each
topic was declined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.kinds.answers import OUTCOMES, Rows
from evaluation.kinds.ordinal.topics.reading import Topics
from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.ordinal.drift import Drifts, drifts
from evaluation.metrics.ordinal.overlap import Overlap, overlaps
from evaluation.metrics.ranking.graded import default_level, neighbour_level

MOST_DRIFTS = 20
"""Of more readers only the drift of all together is computed."""


class Topical(NamedTuple):
    """Numbers of a study of topics.

    ``names``: of the topics.
    ``n_items`` (T,): items of each.
    ``outcomes`` (R, T, outcomes): judgments by reader, topic and outcome, in the order of OUTCOMES.
    ``drifts``: of the grades.
    ``level``: the least grade that is relevant; ``near``: the level beside it, None on a scale of two.
    ``overlaps``: of relevant sets at the level; ``overlaps_near``: at the one beside it.
    """

    names: tuple[str, ...]
    n_items: IntArray
    outcomes: IntArray
    drifts: Drifts
    level: int
    near: int | None
    overlaps: tuple[Overlap, ...]
    overlaps_near: tuple[Overlap, ...]


def topical(rows: Rows, topics: Topics, n_readers: int, grades: int, seed: int) -> Topical:
    """Compute them from the current judgments; deterministic in these and the seed."""
    names, of_item, position = topics
    about, answered = of_item[rows.item], rows.answered
    shape = (n_readers, len(names), len(OUTCOMES))
    cells = np.ravel_multi_index((rows.reader, about, rows.outcome), shape)
    item, reader, _, (grade,) = rows.only(answered)
    topic = about[answered]
    level = default_level(grades - 1)
    near = neighbour_level(level, grades - 1)
    overlap = overlaps(item, reader, topic, grade, *filter(None, (level, near)))
    return Topical(
        names,
        np.bincount(of_item, minlength=len(names)).astype(np.int64),
        np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.int64),
        drifts(item, reader, topic, position[answered], grade, seed, most=MOST_DRIFTS),
        level,
        near,
        overlap[level],
        overlap[near] if near else (),
    )

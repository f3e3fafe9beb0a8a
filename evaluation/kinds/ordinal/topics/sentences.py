"""Drift and overlap in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.kinds.ordinal.topics.tables import interval
from evaluation.kinds.ordinal.topics.topical import MOST_DRIFTS, Topical
from evaluation.metrics.ordinal.drift import Drift
from evaluation.values.wording import counted, digits, probability

SURE = 0.05
ALIKE = 0.5
"""Of independent orders the correlation of positions is near 0."""


def drift(found: Topical) -> str:
    """What the order in which documents were judged did to the grades, or why that cannot be said."""
    return " ".join(_drift(found))


def _drift(found: Topical) -> Iterator[str]:
    together = found.drifts.together
    if together.slope is None:
        yield f"Whether grades move while a topic is judged cannot be said. {together.reason}"
        return
    yield _slope(together)
    yield _neighbours(together)
    if together.alike is not None and together.alike > ALIKE:
        yield (
            f"Readers had the documents in much the same order (correlation {digits(together.alike, 2)}): "
            "what all of them do alike cannot be told from the documents then, and the drift of one reader "
            "shows as its opposite in the others."
        )
    moved = [
        one for one in found.drifts.annotators.values() if one.slope_p is not None and one.slope_p < SURE
    ]
    if len(found.drifts.annotators) > 1 and moved:
        yield (
            f"By themselves {counted(len(moved), 'reader moves', 'readers move')} with p below {SURE:g}; of "
            f"twenty who do not, one does so by chance."
        )
    if not found.drifts.annotators:
        yield f"Of more than {MOST_DRIFTS} readers no single one is shown."


def _slope(one: Drift) -> str:
    if one.slope is None or one.slope_p is None:
        return ""
    size = f"{digits(abs(one.slope), 4)} grades a document"
    behind = f"slope {digits(one.slope, 4)} {interval(one)}".rstrip() + f", p {_p(one.slope_p)}"
    if one.slope_p >= SURE:
        return f"Grades do not clearly rise or fall while a topic is judged ({behind})."
    way = "higher" if one.slope > 0 else "lower"
    return f"What is judged later in a topic is graded {way}, by {size} ({behind})."


def _neighbours(one: Drift) -> str:
    if one.lag_1 is None or one.lag_1_p is None or one.lag_1_expected is None:
        return ""
    behind = f"lag-1 {digits(one.lag_1, 3)}, by chance {digits(one.lag_1_expected, 3)}, p {_p(one.lag_1_p)}"
    if one.lag_1_p >= SURE:
        return f"A grade does not clearly hang on the one before it ({behind})."
    if one.lag_1 > one.lag_1_expected:
        return f"After a high grade the next one tends to be high as well ({behind})."
    return f"After a high grade the next one tends to be low ({behind})."


def _p(value: float) -> str:
    words = probability(value)
    return words if words.startswith("<") else f"= {words}"


OVERLAP = (
    "The overlap is no κ: with more relevant documents the same overlap is less above chance. An overlap of "
    ".45 is κ .58 where a tenth is relevant, .49 where a quarter is, .24 where half is."
)

"""Every definition of agreement on the same answers, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from common.pictures.marks import Dot, Dots
from evaluation.figures.marks import panel
from evaluation.kinds.base import seed_of, why_nothing
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.common.measure import MeasureOf
from evaluation.values.definitions import Defined, Published
from evaluation.values.wording import headed, interval, is_share, worded


class Definition(NamedTuple):
    """One way to number agreement, worded. ``zero``: the plain agreement at which it would be 0, empty where
    it does not start from the plain agreement printed; ``differs``: why it is not the others."""

    measure: MeasureOf[Any]
    heading: str
    value: str
    interval: str
    reason: str
    zero: str
    n_items: int
    n_judgments: int
    published: tuple[Published, ...]
    differs: str
    share: bool


class Microscope(NamedTuple):
    """All that the page shows.

    ``table``: a definition a row; None where there are none.
    ``picture``: their values; None where none is at most 1.
    ``sections``: what the kind adds.
    ``problem``: why there are no definitions, else empty.
    """

    definitions: tuple[Definition, ...]
    picture: Dots | None
    problem: str


def microscope(study: Study, *, resamples: int = RESAMPLES) -> Microscope:
    """All definitions on the study's current judgments; deterministic in them and the study's seed."""
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        problem = why_nothing(kind, judged)
        if problem:
            return Microscope((), None, problem)
        found = kind.definitions(study, judged, seed_of(study), resamples)
    except (Unreadable, Invalid) as error:
        return Microscope((), None, str(error))
    return Microscope(tuple(map(_definition, found)), _picture(found), "")


def _definition(found: Defined) -> Definition:
    one, each = found.measure, found.estimate
    return Definition(
        one,
        headed(one.label),
        worded(one, each.value),
        interval(one, each.low, each.high),
        each.reason,
        found.zero,
        each.n_items,
        each.n_judgments,
        found.published,
        found.differs,
        is_share(one),
    )


def _picture(found: Sequence[Defined]) -> Dots | None:
    """Of what has a value and is at most 1."""
    values = [
        Dot(
            one.label,
            f"{worded(one, each.value)} {interval(one, each.low, each.high)}".rstrip(),
            each.value,
            each.low,
            each.high,
        )
        for one, each, *_ in found
        if each.value is not None and one.range[1] <= 1
    ]
    return panel("definitions", "The same answers by every definition", values, False) if values else None

"""The strata of a sample, or of a plan for one, as a table."""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import Sample
from annotation.validation.samples import Plan
from annotation.validation.whole_topics import WHOLE_TOPICS


class Strata(NamedTuple):
    """The strata with their sums.

    strata: name, N_h, n_h and weight of each.
    of_topics: whether whole topics are drawn: N_h and n_h count topics then.
    n_all, n_drawn: items of the frame, and of the sample.
    """

    strata: list[tuple[str, int, int, float]]
    of_topics: bool
    n_all: int
    n_drawn: int


def of_plan(plan: Plan) -> Strata:
    """Return the strata of what would be drawn."""
    rows = [(each.name, each.size, each.drawn) for each in plan.drawing.strata]
    return _strata(rows, len(plan.drawing.stratum_of), len(plan.drawing.drawn))


def of_sample(sample: Sample) -> Strata:
    """Return the strata of what was drawn."""
    columns = ("stratum", "stratum_size", "stratum_drawn")
    rows = list(sample.items.order_by("stratum").values_list(*columns).distinct())
    return _strata(rows, sample.items.count(), sample.items.filter(drawn=True).count())


def _strata(rows: list[tuple[str, int, int]], n_all: int, n_drawn: int) -> Strata:
    of_topics = [name for name, *_ in rows] == [WHOLE_TOPICS]
    return Strata([(name, size, n, size / n) for name, size, n in rows], of_topics, n_all, n_drawn)

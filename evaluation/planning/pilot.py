"""A study that was read already, as the pilot of the next one."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple

from annotation.models import Study
from common.errors import BadField
from evaluation.kinds.base import seed_of
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.measure import MeasureOf
from evaluation.metrics.planning.pilot import LEAST, Piloted, fewer_answers, piloted
from evaluation.planning.assumptions import CHOICES, GRADES, RUBRIC, SEVERAL, SPANS

ANSWERS = {
    "nominal": CHOICES,
    "spans": SPANS,
    "several_spans": SEVERAL,
    "ordinal": GRADES,
    "rubric": RUBRIC,
}
"""What a plan calls the answers of a kind of data."""


class Pilot(NamedTuple):
    """What a study tells a plan.

    ``slug``, ``title``: of the study; ``answers``: as assumptions call them; ``readers``: answers that its
    items have, or as many as were asked for where that is fewer; ``n_items``: with an answer; ``measures``:
    with what they say; ``options``: q, 0 of spans and rubrics; ``seconds``: the median reader's of an answer,
    None where it is not known; ``n_topics``: with an answer, 0 where intervals are over items; ``n_twice``:
    items with two answers or more.
    """

    slug: str
    title: str
    answers: str
    readers: int
    n_items: int
    measures: tuple[tuple[MeasureOf[Any], Piloted], ...]
    options: int
    seconds: float | None
    n_topics: int = 0
    n_twice: int = 0

    def share(self, found: Piloted) -> float:
        """The share of items read twice that enter a measure: below 1 where a question hangs on another."""
        if self.answers != RUBRIC or not self.n_twice:
            return 1.0
        return min(1.0, found.n_items / self.n_twice)

    def value(self, slug: str) -> float | None:
        """The value of a measure, None where the pilot has none."""
        return next((found.value for one, found in self.measures if one.slug == slug), None)


def pilot_of(study: Study, readers: int | None = None) -> Pilot:
    """The study's items with at most so many answers each, all of them without ``readers``.

    Raises BadField where the study says nothing that a plan could use.
    """
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        rows = judged.rows.only(judged.rows.answered)
        if not len(rows.item):
            raise BadField("pilot", f"“{study.title}” has no answers yet: it cannot be a pilot.")
        if readers is not None:
            rows = rows.only(fewer_answers(rows.item, readers, seed_of(study)))
        sizes = rows.sizes(judged.n_items)
        primary = kind.primary(replace(judged, rows=rows, sizes=sizes))
    except Unreadable as error:
        raise BadField("pilot", str(error)) from error
    if kind.name not in ANSWERS:
        raise BadField("pilot", f"“{study.title}” yields {kind.name} data, of which there are no plans.")
    found = tuple((one.measure, made) for one in primary if (made := piloted(one)) is not None)
    if not found:
        raise BadField("pilot", f"A pilot needs {LEAST} items with answers: “{study.title}” has too few.")
    times = [each.median_seconds for each in judged.readers if each.median_seconds]
    judged_items = sizes[sizes > 0]
    return Pilot(
        study.slug,
        study.title,
        ANSWERS[kind.name],
        int(median(judged_items.tolist())),
        len(judged_items),
        found,
        judged.options,
        median(times) if times else None,
        judged.n_topics,
        int((sizes > 1).sum()),
    )

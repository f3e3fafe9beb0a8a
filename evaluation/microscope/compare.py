"""Every definition of agreement on the same answers, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotation.models import Study
from annotation.tasktypes.base import Invalid
from common.pictures.marks import Dot, Dots
from common.tables.table import About, Cell, Column, Row, Table, table
from evaluation.figures.marks import panel
from evaluation.kinds.base import seed_of, why_nothing
from evaluation.kinds.columns import Unreadable
from evaluation.kinds.registry import kind_of
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.values.definitions import Defined, Published
from evaluation.values.sentences import few_topics
from evaluation.values.tables import PageSection
from evaluation.values.wording import headed, interval, listed, worded

ZERO = "“Zero at”: the plain agreement at which this coefficient would be 0 for these answers. "
PUBLISHED = (
    "Published values stand on other items and other readers; those marked “recomputed” follow from figures "
    "in the paper that does not print them."
)


class Microscope(NamedTuple):
    """All that the page shows.

    ``table``: a definition a row; None where there are none.
    ``picture``: their values; None where none is at most 1.
    ``undrawn``: labels of those without a value, worded; empty without.
    ``sections``: what the kind adds.
    ``problem``: why there are no definitions, else empty.
    ``n_topics``: topics that intervals are over, 0 where they are over items.
    ``caution``: what to say where these are few, else empty.
    """

    table: Table | None = None
    picture: Dots | None = None
    undrawn: str = ""
    sections: tuple[PageSection, ...] = ()
    problem: str = ""
    n_topics: int = 0
    caution: str = ""


def microscope(study: Study, *, resamples: int = RESAMPLES) -> Microscope:
    """All definitions on the study's current judgments; deterministic in them and the study's seed."""
    try:
        kind = kind_of(study)
        judged = kind.read(study)
        problem = why_nothing(kind, judged)
        if problem:
            return Microscope(problem=problem)
        found, sections = kind.definitions(study, judged, seed_of(study), resamples)
    except (Unreadable, Invalid) as error:
        return Microscope(problem=str(error))
    undrawn = listed([each.measure.label for each in found if each.estimate.value is None])
    n_topics = judged.topics_of_intervals
    caution = few_topics(n_topics)
    return Microscope(_table(found), _picture(found), undrawn, sections, n_topics=n_topics, caution=caution)


def _table(found: Sequence[Defined]) -> Table:
    """A definition a row; without the column of zeros where none starts from the plain agreement."""
    zeros = any(each.zero for each in found)
    columns = [
        Column("definition", "Definition", numeric=False),
        Column("value", "Value", main=True),
        *([Column("zero", "Zero at")] if zeros else []),
        Column("n_items", "Items"),
        Column("n_judgments", "Answers"),
        Column("chance", "What chance means", numeric=False, prose=True),
        Column("published", "Published", numeric=False, prose=True),
    ]
    rows = [_row(each, zeros) for each in found]
    return table(columns, rows, caption=(ZERO if zeros else "") + PUBLISHED)


def _row(found: Defined, zeros: bool) -> Row:
    one, each = found.measure, found.estimate
    cells = (
        Cell(headed(one.label), one.slug),
        Cell(worded(one, each.value), each.value, below=interval(one, each.low, each.high)),
        *([Cell(found.zero)] if zeros else []),
        Cell(str(each.n_items), each.n_items),
        Cell(str(each.n_judgments), each.n_judgments),
        Cell(one.chance),
        Cell("\n".join(map(_published, found.published)) or "None known."),
    )
    about = About(found.differs, one.formula, one.source, each.method, reason=each.reason, open=True)
    return Row(cells, name=one.slug, about=about)


def _published(each: Published) -> str:
    recomputed = " (recomputed)" if each.recomputed else ""
    return f"{each.value} {each.source}, {each.where}{recomputed}: {each.what}."


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

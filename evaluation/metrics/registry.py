"""All measures in the order in which reports print them, and the report itself.

A new measure of nominal data is one module with one ``Measure`` and one line here; one of spans has a
``SpanMeasure`` and a line in ``spans/report.py``, one of grades a line in ``ordinal/report.py``.
"""

from typing import Any

from evaluation.metrics.common.intervals import LEVEL, RESAMPLES, Estimate, cautioned, estimate, resample
from evaluation.metrics.common.measure import Measure, MeasureOf
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY, PLURALITY
from evaluation.metrics.nominal.agreement import ALL_AGREE, NONE_AGREE, OBSERVED
from evaluation.metrics.nominal.alpha import ALPHA
from evaluation.metrics.nominal.cohen import COHEN
from evaluation.metrics.nominal.fleiss import FLEISS, GENERALISED_FLEISS
from evaluation.metrics.nominal.gwet import AC1
from evaluation.metrics.nominal.randolph import RANDOLPH
from evaluation.metrics.nominal.table import NominalTable, Patterns, patterns_of
from evaluation.metrics.ordinal.overlap import RELEVANT_OVERLAP
from evaluation.metrics.ordinal.rationale import RATIONALE_MEASURES
from evaluation.metrics.ordinal.report import ORDINAL_MEASURES
from evaluation.metrics.rubric import RUBRIC_MEASURES
from evaluation.metrics.spans.gold import GOLD_MEASURES
from evaluation.metrics.spans.presence import PRESENCE_MEASURES
from evaluation.metrics.spans.report import SPAN_MEASURES
from evaluation.metrics.spans.report import span_report as span_report
from evaluation.metrics.spans.units.alpha import UNITISING_ALPHA

MEASURES: tuple[Measure, ...] = (
    INDIVIDUAL,
    MAJORITY,
    PLURALITY,
    ALL_AGREE,
    NONE_AGREE,
    FLEISS,
    GENERALISED_FLEISS,
    RANDOLPH,
    ALPHA,
    AC1,
    OBSERVED,
)


ALL_MEASURES: tuple[MeasureOf[Any], ...] = (
    *MEASURES,
    *SPAN_MEASURES,
    UNITISING_ALPHA,
    *GOLD_MEASURES,
    *PRESENCE_MEASURES,
    *ORDINAL_MEASURES,
    RELEVANT_OVERLAP,
    *RATIONALE_MEASURES,
    COHEN,
    *RUBRIC_MEASURES,
)


def measure(slug: str) -> MeasureOf[Any]:
    """The measure of that name. Raises ValueError naming the known ones."""
    for one in ALL_MEASURES:
        if one.slug == slug:
            return one
    known = ", ".join(one.slug for one in ALL_MEASURES)
    raise ValueError(f"No measure is called {slug!r}; there are {known}.")


def report(
    table: NominalTable | Patterns,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    *,
    caution: str = "",
) -> tuple[Estimate, ...]:
    """Every measure that has something to say about these data, in report order, on the same resamples.

    ``caution``: what to say beside every coefficient that reads option numbers, such as
    ``position.roles_suspected`` of items whose order nobody vouches for.

    Plurality accuracy appears when an item has more than three judgments, generalised Fleiss κ when items
    have unequal numbers of them.
    """
    patterns = patterns_of(table)
    shown = [one for one in MEASURES if one.shown(patterns)]
    draws = resample(patterns, [one.statistic for one in shown], seed, resamples)
    found = zip(shown, draws, strict=True)
    return tuple(cautioned(one, estimate(one, patterns, drawn, seed, level), caution) for one, drawn in found)

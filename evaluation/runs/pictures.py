"""The difference of a run from the base on every topic, as a picture: the most raised topic first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from common.pictures.marks import Bar, Chart, Picture, Scale, Tick
from common.wording import counted
from evaluation.metrics.ranking.compared import Difference
from evaluation.metrics.ranking.measures import RunMeasure
from evaluation.runs.report import RunsReport
from evaluation.values.wording import digits

REACHES = (0.1, 0.2, 0.5, 1.0)
"""How far the upright scale may reach, both ways."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
NAMED = 3
"""So many topics are named at either end, for those who do not see the picture."""


def compared_by(report: RunsReport) -> tuple[RunMeasure, ...]:
    """Return the measures by which runs were compared."""
    found = {each.measure.slug: each.measure for each in report.compared}
    return tuple(found.values())


def of_measure(report: RunsReport, measure: RunMeasure) -> tuple[Difference, ...]:
    """Return the comparisons by one measure, a run each."""
    return tuple(each for each in report.compared if each.measure.slug == measure.slug)


def by_topic(found: Difference) -> list[tuple[str, float]]:
    """Return topics with their differences: the most raised first, equal ones by id."""
    pairs = zip(found.topics, found.per_topic.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def charts(report: RunsReport, measure: RunMeasure) -> Iterator[Chart]:
    """Yield a chart for each run that was compared with the base, all on one scale."""
    compared = of_measure(report, measure)
    farthest = max((abs(number) for each in compared for number in each.per_topic.tolist()), default=0.0)
    reach = next((each for each in REACHES if farthest <= each), 1.0)
    for place, each in enumerate(compared):
        yield _chart(f"difference-{place}", each, reach)


def for_print(report: RunsReport) -> Iterator[tuple[str, Picture]]:
    """Yield every difference as a file's name and its picture; a name may hold whatever a tag holds."""
    runs = list(dict.fromkeys(each.paired.name for each in report.compared))
    for measure in compared_by(report):
        for each, drawn in zip(of_measure(report, measure), charts(report, measure), strict=True):
            run = _UNSAFE.sub("_", each.paired.name)[:60]
            yield f"{runs.index(each.paired.name) + 1}-{run}-{measure.slug}", (drawn,)


def _chart(name: str, found: Difference, reach: float) -> Chart:
    ranked = by_topic(found)
    ticks = tuple(Tick(reach * step / 2, _signed(reach * step / 2, 2)) for step in range(-2, 3))
    return Chart(
        name,
        f"{found.measure.label} of {found.paired.name} minus {found.paired.against}, topic by topic",
        _described(found, ranked),
        Scale(0, len(ranked), (), "topics, the most raised first"),
        Scale(-reach, reach, ticks),
        bars=tuple(Bar(at, at + 1, number) for at, (_, number) in enumerate(ranked)),
        heading=f"{found.paired.name} − {found.paired.against}",
        words=found.measure.label,
    )


def _described(found: Difference, ranked: list[tuple[str, float]]) -> str:
    raised = [f"{topic} {_signed(number)}" for topic, number in ranked[:NAMED] if number > 0]
    lowered = [f"{topic} {_signed(number)}" for topic, number in ranked[-NAMED:] if number < 0]
    same = found.n_topics - found.n_raised - found.n_lowered
    parts = (
        f"Raised on {found.n_raised} of {counted(found.n_topics, 'topic')}",
        f", most on {', '.join(raised)}" if raised else "",
        f"; lowered on {found.n_lowered}",
        f", most on {', '.join(reversed(lowered))}" if lowered else "",
        f"; the same on {same}." if same else ".",
    )
    return "".join(parts)


def _signed(number: float, places: int = 3) -> str:
    """With its sign, since the picture is of a difference."""
    return f"{'+' if number > 0 else ''}{digits(number, places)}"

"""A report's measures and readers as pictures: values with their intervals below each other."""

from __future__ import annotations

from collections.abc import Sequence

from common.pictures.marks import SHARES, Dot, Dots, coefficients
from evaluation.values.lines import Line, said
from evaluation.values.report import Report
from evaluation.values.wording import headed, is_share, percent

SIMULATED = "Simulated readers: programs, not people"
"""Written over pictures of answers that programs gave."""


def panels(report: Report) -> tuple[Dots, ...]:
    """Shares, coefficients and readers: a picture each, none for what has no value or is no part of 1."""
    drawn = visible(report.lines)
    titles = report.own.panels
    readers = [
        Dot(
            each.pseudonym + (" (simulated)" if each.simulated else ""),
            f"{percent(each.accuracy)} % [{percent(each.low)}, {percent(each.high)}]",
            each.accuracy,
            each.low,
            each.high,
            titles.guess,
        )
        for each in report.readers
        if each.accuracy is not None and each.low is not None and each.high is not None
    ]
    shares = [dot(line) for line in drawn if is_share(line.measure)]
    others = [dot(line) for line in drawn if not is_share(line.measure)]
    found = (
        panel("shares", titles.shares, shares, True),
        panel("coefficients", titles.coefficients, others, False),
        panel("readers", titles.readers, readers, True),
    )
    return tuple(each for each in found if each.dots)


def visible(lines: Sequence[Line]) -> list[Line]:
    """Those with a value that is part of 1."""
    return [line for line in lines if line.estimate.value is not None and line.measure.range[1] <= 1]


def dot(line: Line) -> Dot:
    """A measure's value with its interval and what chance gives."""
    found = line.estimate
    return Dot(line.measure.label, said(line), found.value or 0.0, found.low, found.high, line.chance)


def panel(name: str, title: str, dots: Sequence[Dot], share: bool) -> Dots:
    """Values below each other; ``share``: whether they are printed in percent."""
    lowest = (min(each.value, 0.0 if each.low is None else each.low) for each in dots)
    described = f"{'; '.join(f'{each.label} {each.words}' for each in dots)}."
    named = tuple(each._replace(label=headed(each.label)) for each in dots)
    return Dots(name, title, described, named, SHARES if share else coefficients(lowest))


def measures(lines: Sequence[Line]) -> Dots:
    """All measures in one picture, for print."""
    dots = [dot(line) for line in visible(lines)]
    shares = [is_share(line.measure) for line in visible(lines)]
    found = panel("measures", "Measures", dots, False)
    named = (
        each._replace(label=f"{each.label} (share)") if share else each
        for each, share in zip(found.dots, shares, strict=True)
    )
    return found._replace(dots=tuple(named))

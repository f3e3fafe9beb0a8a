"""Columns of the table of readers, worded: those that every kind of study has, and how others are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaluation.values.report import ReaderColumn, ReaderLine, Report
from evaluation.values.wording import NONE, digits, percent


def column(
    report: Report, short: str, heading: str, cell: Callable[[ReaderLine], str], total: str = ""
) -> ReaderColumn:
    """A column with one cell for each annotator, in the order in which they joined."""
    return ReaderColumn(short, heading, tuple(map(cell, report.readers)), total)


def answers(report: Report) -> ReaderColumn:
    return column(report, "answers", "Answers", lambda each: f"{each.n_answers:,}", f"{report.n_answers:,}")


def undecided(report: Report, short: str = "can’t decide", heading: str = "Can’t decide") -> ReaderColumn:
    return column(report, short, heading, lambda each: f"{each.n_undecided:,}", f"{report.n_undecided:,}")


def broken(report: Report) -> ReaderColumn:
    return column(report, "broken", "Broken", lambda each: f"{each.n_broken:,}", f"{report.n_broken:,}")


def seconds(report: Report) -> ReaderColumn:
    """Median active seconds of an answer."""

    def cell(each: ReaderLine) -> str:
        return NONE if each.median_seconds is None else digits(each.median_seconds, 1)

    return column(report, "median s", "Seconds", cell)


def right(report: Report) -> ReaderColumn:
    """How many answers were the gold one."""

    def cell(each: ReaderLine) -> str:
        return NONE if each.accuracy is None else f"{each.n_correct:,}"

    return column(report, "right", "Right", cell)


def accuracy(report: Report, short: str = "accuracy", heading: str = "Accuracy") -> ReaderColumn:
    return column(report, short, heading, lambda each: share(each.accuracy))


def wilson(report: Report) -> ReaderColumn:
    """The interval of accuracy."""

    def cell(each: ReaderLine) -> str:
        if each.low is None or each.high is None:
            return NONE
        return f"[{percent(each.low)}, {percent(each.high)}]"

    return column(report, "95 % interval", "95 % interval", cell)


def usual(report: Report) -> tuple[ReaderColumn, ...]:
    """The columns of a study whose answers can be right or wrong."""
    against_gold = (right(report), accuracy(report), wilson(report))
    return answers(report), *against_gold, undecided(report), broken(report), seconds(report)


def share(value: float | None) -> str:
    return NONE if value is None else f"{percent(value)} %"


def numbers_of(each: ReaderLine) -> dict[str, Any]:
    """What CSV prints of every reader beside accuracy, by name."""
    names = ("n_answers", "n_correct", "n_undecided", "n_broken", "median_seconds")
    return {name: getattr(each, name) for name in names}

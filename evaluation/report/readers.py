"""The annotators as a table, worded: the same columns in plain text, on the page and as numbers in CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evaluation.report.compute import ReaderLine, Report
from evaluation.report.rows import NONE, digits, percent

Number = float | int | None


class Column(NamedTuple):
    """``short`` heads it in plain text, ``heading`` on the page; ``total``: of all readers, empty without."""

    short: str
    heading: str
    cell: Callable[[ReaderLine], str]
    total: Callable[[Report], str] = lambda report: ""


class ReaderRow(NamedTuple):
    """One annotator, worded."""

    name: str
    simulated: bool
    cells: tuple[str, ...]


class ReaderTable(NamedTuple):
    columns: tuple[Column, ...]
    rows: tuple[ReaderRow, ...]
    totals: tuple[str, ...]


def reader_table(report: Report) -> ReaderTable:
    """The annotators in the order in which they joined."""
    columns = columns_of(report)
    rows = tuple(
        ReaderRow(each.pseudonym, each.simulated, tuple(column.cell(each) for column in columns))
        for each in report.readers
    )
    return ReaderTable(columns, rows, tuple(column.total(report) for column in columns))


def columns_of(report: Report) -> tuple[Column, ...]:
    if report.data != "spans":
        return (ANSWERS, *GOLD, UNDECIDED, BROKEN, SECONDS)
    known = any(each.n_with_gold for each in report.readers)
    return (*SPANS, *(AGAINST_GOLD if known else ()), BORDERS, BROKEN, SECONDS)


def numbers_of(report: Report, each: ReaderLine) -> dict[str, Number]:
    """What CSV prints of a reader beside accuracy, by name."""
    found: dict[str, Number] = {
        name: getattr(each, name)
        for name in ("n_answers", "n_correct", "n_undecided", "n_broken", "median_seconds")
    }
    if each.spans is not None:
        found |= {
            "n_spans": each.spans.n_spans,
            "median_length": each.spans.median_length,
            "overlap_with_others": each.spans.overlap,
            "identical_to_others": each.spans.identical,
            "n_pairs": each.spans.n_pairs,
        }
    return found


def _count(number: int) -> str:
    return f"{number:,}"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{percent(value)} %"


def _right(each: ReaderLine) -> str:
    return NONE if each.accuracy is None else _count(each.n_correct)


def _wilson(each: ReaderLine) -> str:
    if each.low is None or each.high is None:
        return NONE
    return f"[{percent(each.low)}, {percent(each.high)}]"


def _seconds(each: ReaderLine) -> str:
    return NONE if each.median_seconds is None else digits(each.median_seconds, 1)


def _n_spans(each: ReaderLine) -> int:
    return each.spans.n_spans if each.spans else 0


def _length(each: ReaderLine) -> str:
    found = each.spans.median_length if each.spans else None
    return NONE if found is None else digits(found, 1)


ANSWERS = Column(
    "answers", "Answers", lambda each: _count(each.n_answers), lambda whole: _count(whole.n_answers)
)
UNDECIDED = Column(
    "can’t decide",
    "Can’t decide",
    lambda each: _count(each.n_undecided),
    lambda whole: _count(whole.n_undecided),
)
BORDERS = UNDECIDED._replace(short="no borders", heading="Can’t set the borders")
BROKEN = Column("broken", "Broken", lambda each: _count(each.n_broken), lambda whole: _count(whole.n_broken))
SECONDS = Column("median s", "Seconds", _seconds)
GOLD = (
    Column("right", "Right", _right),
    Column("accuracy", "Accuracy", lambda each: _share(each.accuracy)),
    Column("95 % interval", "95 % interval", _wilson),
)
SPANS = (
    Column(
        "spans",
        "Spans",
        lambda each: _count(_n_spans(each)),
        lambda whole: _count(sum(_n_spans(each) for each in whole.readers)),
    ),
    Column(
        "none",
        "No allusion",
        lambda each: _count(each.n_answers - _n_spans(each)),
        lambda whole: _count(whole.spans.n_none if whole.spans else 0),
    ),
    Column("tokens", "Median tokens", _length),
    Column(
        "overlap",
        "Overlap with others",
        lambda each: _share(each.spans.overlap if each.spans else None),
    ),
    Column(
        "alike",
        "Same as another’s",
        lambda each: _share(each.spans.identical if each.spans else None),
    ),
)
AGAINST_GOLD = (Column("= gold", "Same as gold", lambda each: _share(each.accuracy)), GOLD[2])

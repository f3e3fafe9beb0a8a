"""The looks of a stopping rule as a table, for pages, reports and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.table import Block, Cell, Document, Points, Row, Table, table
from common.wording import day_and_time
from evaluation.stopping.sentences import HEADING, costs, sentences, verdict, width_in_words
from evaluation.values.looks import Look, Looked
from evaluation.values.tables import PageSection, column, named
from evaluation.values.wording import NONE, interval, worded


def looks(looked: Looked) -> Table | None:
    """A look a row; None before the first."""
    columns = (
        named("look"),
        column("items", "Fully read items"),
        column("value"),
        column("95 % interval", "95 % interval", "interval"),
        column("half width", "Half of it", "half_width"),
        named("rule", "The rule said"),
        column("when", "Last of them full"),
    )
    rows = [_look(looked, number, each) for number, each in enumerate(looked.looks, 1)]
    caption = "Each look counts the first items that were fully read, with their answers at that moment."
    return table(columns, rows, title=HEADING, caption=caption) if rows else None


def _look(looked: Looked, number: int, each: Look) -> Row:
    one = looked.measure
    value = worded(one, each.value) if one else NONE
    ends = interval(one, each.low, each.high) if one else ""
    return Row(
        (
            Cell(f"Look {number}", number),
            Cell(f"{each.items:,}", each.items),
            Cell(value, each.value, note=each.reason),
            Cell(ends or NONE),
            Cell(width_in_words(one, each.half_width), each.half_width),
            Cell(verdict(each), each.met),
            Cell(day_and_time(each.at), each.at.isoformat(), moment=each.at),
        )
    )


def section(looked: Looked) -> PageSection:
    """A part of the report's page."""
    return PageSection("stopping", HEADING, points=tuple(sentences(looked)), table=looks(looked))


def blocks(looked: Looked) -> Iterator[Block]:
    """A part of the report's text."""
    yield Points(tuple(sentences(looked)), f"{HEADING}:")
    if (made := looks(looked)) is not None:
        yield made


def document(slug: str, looked: Looked) -> Document:
    """The rule and its looks alone."""
    return Document(
        f"{HEADING} ({slug})", (*blocks(looked), Points(tuple(costs(looked.rule)), "What it costs:"))
    )


def data(looked: Looked | None) -> dict[str, Any] | None:
    """For scripts; None without a rule."""
    if looked is None:
        return None
    return {
        "rule": looked.rule._asdict(),
        "label": looked.measure.label if looked.measure else None,
        "looks": [each.data for each in looked.looks],
        "met": looked.met is not None,
        "next": looked.next,
        "fully_read": looked.full,
        "looks_that_changed": looked.changed,
        "sentences": list(sentences(looked)),
    }


def rows(looked: Looked | None) -> Iterator[dict[str, Any]]:
    """A look a row of the report's CSV."""
    for number, each in enumerate(looked.looks if looked else (), 1):
        yield {
            "number": f"look_{number}_{each.measure}",
            "label": f"look {number}: the rule said {verdict(each)}",
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "level": 0.95,
            "n_items": each.items,
            "reason": each.reason,
        }

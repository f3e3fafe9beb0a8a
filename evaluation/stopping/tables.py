"""The looks of a stopping rule as a table, for pages, reports and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from common.tables.table import Block, Cell, Column, Document, Points, Row, Table, table
from common.wording import day_and_time
from evaluation.stopping.sentences import HEADING, costs, level_in_words, sentences, verdict, width_in_words
from evaluation.values.looks import Look, Looked
from evaluation.values.tables import PageSection, column, named
from evaluation.values.wording import NONE, interval, worded

STORED = (
    "Looks that were taken stand as they were recorded then; a bundle, and the command, compute them again."
)
AGAIN = "All were computed again for this table."


def looks(looked: Looked) -> Table | None:
    """A look a row; None before the first."""
    columns = (
        named("look"),
        column("items", "Fully read items"),
        column("value"),
        *_interval_columns(looked),
        column("half width", "Half of it", "half_width"),
        named("rule", "The rule said"),
        column("when", "Last of them full"),
        column("taken", "Look taken"),
    )
    rows = [_look(looked, number, each) for number, each in enumerate(looked.looks, 1)]
    caption = "Each look counts the first items that were fully read, with their answers at that moment. " + (
        AGAIN if looked.again else STORED
    )
    return table(columns, rows, title=HEADING, caption=caption) if rows else None


def _interval_columns(looked: Looked) -> tuple[Column, ...]:
    if not looked.rule.spending:
        return (column("95 % interval", "95 % interval", "interval"),)
    return (column("level", "Level"), column("interval", "Interval"))


def _look(looked: Looked, number: int, each: Look) -> Row:
    one = looked.measure
    value = worded(one, each.value) if one else NONE
    ends = interval(one, each.low, each.high) if one else ""
    level = (Cell(level_in_words(each.level), each.level),) if looked.rule.spending else ()
    taken = looked.taken.get(each.items)
    return Row(
        (
            Cell(f"Look {number}", number),
            Cell(f"{each.items:,}", each.items),
            Cell(value, each.value, note=each.reason),
            *level,
            Cell(ends or NONE),
            Cell(width_in_words(one, each.half_width), each.half_width),
            Cell(verdict(each), each.met),
            Cell(day_and_time(each.at), each.at.isoformat(), moment=each.at),
            Cell(day_and_time(taken), taken.isoformat(), moment=taken) if taken else Cell("not yet", None),
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
        "looks": [{**each.data, "taken": _taken(looked, each)} for each in looked.looks],
        "met": looked.met is not None,
        "next": looked.next,
        "fully_read": looked.full,
        "looks_that_changed": looked.changed if looked.again else None,
        "sentences": list(sentences(looked)),
    }


def _taken(looked: Looked, each: Look) -> str | None:
    taken = looked.taken.get(each.items)
    return None if taken is None else taken.isoformat()


def rows(looked: Looked | None) -> Iterator[dict[str, Any]]:
    """A look a row of the report's CSV."""
    for number, each in enumerate(looked.looks if looked else (), 1):
        yield {
            "number": f"look_{number}_{each.measure}",
            "label": f"look {number}: the rule said {verdict(each)}",
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "level": each.level,
            "n_items": each.items,
            "reason": each.reason,
        }

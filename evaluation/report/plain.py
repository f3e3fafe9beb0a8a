"""A report as aligned plain text."""

from __future__ import annotations

from textwrap import wrap

from common.tables.text import WIDTH, aligned
from evaluation.report.sentences import notes, settled_summary, summary, warning
from evaluation.values.lines import Row
from evaluation.values.report import Report
from evaluation.values.tables import Table


def table(report: Report) -> str:
    """Aligned plain text, at most 96 columns."""
    lines = [f"{report.title} ({report.slug})"]
    if warning(report):
        lines += ["", *wrap(warning(report).upper(), WIDTH)]
    lines += ["", *wrap(" ".join(summary(report)), WIDTH)]
    lines += _table(report, report.rows)
    if report.readers:
        lines += ["", *_readers(report)]
    if report.histogram:
        spread = ", ".join(f"{size} on {items:,}" for size, items in sorted(report.histogram.items()))
        lines += ["", *wrap(f"Answers per item: {spread}; {report.n_items:,} items in all.", WIDTH)]
    lines += _chance(report)
    for part in report.own.text:
        lines += ["", *_part(part)]
    lines += _settled(report)
    lines.append("")
    for note in notes(report):
        lines += wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    lines += wrap(f"- Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}.", WIDTH)
    return "\n".join(lines) + "\n"


def _chance(report: Report) -> list[str]:
    """What chance means, where it means something else in every line."""
    if not report.own.chance_differs:
        return []
    lines = ["", "What chance means:"]
    for line in report.lines:
        lines += wrap(f"- {line.measure.label}: {line.measure.chance}", WIDTH, subsequent_indent="  ")
    return lines


def _part(part: str | Table) -> list[str]:
    if isinstance(part, str):
        return wrap(part, WIDTH)
    return [*wrap(part.caption, WIDTH), *aligned([part.head, *part.body])]


def _measures(report: Report, found: tuple[Row, ...]) -> list[str]:
    few, tested = any(row.jackknife for row in found), any(row.p for row in found)
    head = ["", "value", "95 % interval", *(["jackknife-t"] if few else []), "random"]
    head += [*([f"p of {report.own.tested}"] if tested else []), "items", "answers"]
    body = [
        [
            row.measure.label,
            row.value + (f" ({row.mark})" if row.mark else ""),
            row.interval,
            *([row.jackknife] if few else []),
            row.chance,
            *([row.p] if tested else []),
            f"{row.n_items:,}",
            f"{row.n_judgments:,}",
        ]
        for row in found
    ]
    return aligned([head, *body])


def _settled(report: Report) -> list[str]:
    """Accuracy against what was settled, clearly apart from the numbers above."""
    if report.settled is None:
        return []
    return ["", *wrap(settled_summary(report.settled), WIDTH), *_table(report, report.settled_rows)]


def _table(report: Report, found: tuple[Row, ...]) -> list[str]:
    return ["", *_measures(report, found), *_footnotes(found)] if found else []


def _footnotes(found: tuple[Row, ...]) -> list[str]:
    lines: list[str] = []
    for row in found:
        if row.mark:
            lines += wrap(f"({row.mark}) {row.measure.label}: {row.reason}", WIDTH, subsequent_indent="    ")
    return lines


def _readers(report: Report) -> list[str]:
    columns = report.own.columns
    body = [
        [
            each.pseudonym + (" (simulated)" if each.simulated else ""),
            *(column.cells[who] for column in columns),
        ]
        for who, each in enumerate(report.readers)
    ]
    return aligned([["reader", *(column.short for column in columns)], *body])

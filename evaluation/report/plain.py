"""A report as aligned plain text."""

from __future__ import annotations

from textwrap import wrap

from common.aligned import WIDTH, aligned
from evaluation.kinds.spans import plain
from evaluation.report.compute import Report
from evaluation.report.readers import reader_table
from evaluation.report.rows import Row, rows, settled_rows
from evaluation.report.sentences import notes, settled_summary, summary, warning


def table(report: Report) -> str:
    """Aligned plain text, at most 96 columns."""
    lines = [f"{report.title} ({report.slug})"]
    if warning(report):
        lines += ["", *wrap(warning(report).upper(), WIDTH)]
    lines += ["", *wrap(" ".join(summary(report)), WIDTH)]
    found = rows(report)
    lines += _table(found)
    if report.readers:
        lines += ["", *_readers(report)]
    if report.histogram:
        spread = ", ".join(f"{size} on {items:,}" for size, items in sorted(report.histogram.items()))
        lines += ["", *wrap(f"Answers per item: {spread}; {report.n_items:,} items in all.", WIDTH)]
    if report.spans:
        lines += plain.sections(report, report.spans)
    lines += _settled(report)
    lines.append("")
    for note in notes(report):
        lines += wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    lines += wrap(f"- Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}.", WIDTH)
    return "\n".join(lines) + "\n"


def _measures(found: tuple[Row, ...]) -> list[str]:
    few, tested = any(row.jackknife for row in found), any(row.p for row in found)
    head = ["", "value", "95 % interval", *(["jackknife-t"] if few else []), "random"]
    head += [*(["p of O_o"] if tested else []), "items", "answers"]
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
    return ["", *wrap(settled_summary(report.settled), WIDTH), *_table(settled_rows(report))]


def _table(found: tuple[Row, ...]) -> list[str]:
    return ["", *_measures(found), *_footnotes(found)] if found else []


def _footnotes(found: tuple[Row, ...]) -> list[str]:
    lines: list[str] = []
    for row in found:
        if row.mark:
            lines += wrap(f"({row.mark}) {row.measure.label}: {row.reason}", WIDTH, subsequent_indent="    ")
    return lines


def _readers(report: Report) -> list[str]:
    found = reader_table(report)
    head = ["reader", *(column.short for column in found.columns)]
    body = [[each.name + (" (simulated)" if each.simulated else ""), *each.cells] for each in found.rows]
    return aligned([head, *body])

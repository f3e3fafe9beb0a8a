"""What only spans have, as sections of the plain text."""

from __future__ import annotations

from textwrap import wrap

from common.aligned import WIDTH, aligned
from evaluation.kinds.spans.tables import dataset_table, offset_table
from evaluation.report.compute import Report
from evaluation.report.numbers import SpanNumbers


def sections(report: Report, spans: SpanNumbers) -> list[str]:
    """Each begins with an empty line."""
    lines = ["", "What chance means:"]
    for line in report.lines:
        lines += wrap(f"- {line.measure.label}: {line.measure.chance}", WIDTH, subsequent_indent="  ")
    counts = spans.report.counts
    spread = ", ".join(f"{size} on {items:,}" for size, items in counts.spans_per_item.items())
    lines += ["", *wrap(f"Spans per item: {spread}.", WIDTH)]
    offsets = offset_table(report, spans)
    if offsets.body:
        lines += ["", *wrap(f"{offsets.caption}", WIDTH), *aligned([offsets.head, *offsets.body])]
    dataset = dataset_table(spans)
    if dataset.body:
        lines += ["", *wrap(dataset.caption, WIDTH), *aligned([dataset.head, *dataset.body])]
    elif spans.dataset.reason:
        lines += ["", *wrap(f"Statistics of the data set. {spans.dataset.reason}", WIDTH)]
    return lines

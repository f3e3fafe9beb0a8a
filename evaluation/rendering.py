"""A report as text, JSON, CSV or LaTeX. All of them print the same rows."""

from __future__ import annotations

import csv
import io
import json as jsons
from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Any, NamedTuple

from evaluation.latex import latex
from evaluation.nominal import Line
from evaluation.reports import ReaderLine, Report
from evaluation.rows import NONE, Row, digits, percent, rows
from evaluation.sentences import notes, summary, warning

WIDTH = 96
VERSION = 1


class ReaderRow(NamedTuple):
    """One annotator, worded."""

    name: str
    simulated: bool
    n_answers: int
    n_correct: str
    accuracy: str
    interval: str
    n_undecided: int
    n_broken: int
    seconds: str


def reader_rows(report: Report) -> tuple[ReaderRow, ...]:
    """The annotators in the order in which they joined."""
    return tuple(_reader_row(each) for each in report.readers)


def _reader_row(each: ReaderLine) -> ReaderRow:
    known = each.accuracy is not None and each.low is not None and each.high is not None
    return ReaderRow(
        each.pseudonym,
        each.simulated,
        each.n_answers,
        f"{each.n_correct:,}" if known else NONE,
        f"{percent(each.accuracy)} %" if each.accuracy is not None else NONE,
        f"[{percent(each.low)}, {percent(each.high)}]"
        if each.low is not None and each.high is not None
        else "",
        each.n_undecided,
        each.n_broken,
        digits(each.median_seconds, 1) if each.median_seconds is not None else NONE,
    )


def command(report: Report, format: str = "json") -> str:  # noqa: A002 - the name of the option
    """The command line that prints this report again."""
    return f"manage.py report {report.slug} --format {format} --resamples {report.resamples}"


def table(report: Report) -> str:
    """Aligned plain text, at most 96 columns."""
    lines = [f"{report.title} ({report.slug})"]
    if warning(report):
        lines += ["", *wrap(warning(report).upper(), WIDTH)]
    lines += ["", *wrap(" ".join(summary(report)), WIDTH)]
    found = rows(report)
    if found:
        lines += ["", *_measures(found), *_footnotes(found)]
    if report.readers:
        lines += ["", *_readers(report)]
    if report.histogram:
        spread = ", ".join(f"{size} on {items:,}" for size, items in sorted(report.histogram.items()))
        lines += ["", *wrap(f"Answers per item: {spread}; {report.n_items:,} items in all.", WIDTH)]
    lines.append("")
    for note in notes(report):
        lines += wrap(f"- {note}", WIDTH, subsequent_indent="  ")
    lines += wrap(f"- Computed {report.computed:%Y-%m-%d %H:%M} UTC by version {report.version}.", WIDTH)
    return "\n".join(lines) + "\n"


def _measures(found: tuple[Row, ...]) -> list[str]:
    few = any(row.jackknife for row in found)
    head = ["", "value", "95 % interval", *(["jackknife-t"] if few else []), "random", "items", "answers"]
    body = [
        [
            row.measure.label,
            row.value + (f" ({row.mark})" if row.mark else ""),
            row.interval,
            *([row.jackknife] if few else []),
            row.chance,
            f"{row.n_items:,}",
            f"{row.n_judgments:,}",
        ]
        for row in found
    ]
    return _aligned([head, *body])


def _footnotes(found: tuple[Row, ...]) -> list[str]:
    lines: list[str] = []
    for row in found:
        if row.mark:
            lines += wrap(f"({row.mark}) {row.measure.label}: {row.reason}", WIDTH, subsequent_indent="    ")
    return lines


def _readers(report: Report) -> list[str]:
    head = ["reader", "answers", "right", "accuracy", "95 % interval", "can’t decide", "broken", "median s"]
    body = [
        [
            each.name + (" (simulated)" if each.simulated else ""),
            f"{each.n_answers:,}",
            each.n_correct,
            each.accuracy,
            each.interval,
            f"{each.n_undecided:,}",
            f"{each.n_broken:,}",
            each.seconds,
        ]
        for each in reader_rows(report)
    ]
    return _aligned([head, *body])


def _aligned(cells: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def json(report: Report) -> str:
    """Strict JSON (no NaN, no infinity) with full precision, the same keys for every study."""
    return jsons.dumps(as_data(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "report_version": VERSION,
        "study": report.slug,
        "title": report.title,
        "task": report.task,
        "open": report.is_open,
        "option_order": report.option_order,
        "simulated_readers": list(report.simulated),
        "warning": warning(report),
        "problem": report.problem,
        "summary": list(summary(report)),
        "computed": report.computed.isoformat(),
        "code_version": report.version,
        "seed": report.seed,
        "resamples": report.resamples,
        "level": report.level,
        "n_items": report.n_items,
        "n_items_judged": report.n_judged,
        "n_options": report.n_options,
        "n_answers": report.n_answers,
        "n_undecided": report.n_undecided,
        "n_broken": report.n_broken,
        "answers_per_item": {str(size): items for size, items in sorted(report.histogram.items())},
        "measures": [_measure_data(line) for line in report.lines],
        "annotators": [each._asdict() for each in report.readers],
        "one_annotator_left_out": [
            {**each._asdict(), "measure": each.measure.slug} for each in report.left_out
        ],
        "position_of_errors": None if report.bias is None else report.bias._asdict(),
        "notes": list(notes(report)),
    }


def _measure_data(line: Line) -> dict[str, Any]:
    one, estimate = line.measure, line.estimate
    return {
        "measure": one.slug,
        "label": one.label,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level,
        "method": estimate.method,
        "resamples": estimate.resamples,
        "seed": estimate.seed,
        "jackknife_low": estimate.jackknife.low if estimate.jackknife else None,
        "jackknife_high": estimate.jackknife.high if estimate.jackknife else None,
        "random": line.chance,
        "random_is": "enumerated" if line.exact else "0 by definition" if line.chance == 0 else None,
        "n_items": estimate.n_items,
        "n_judgments": estimate.n_judgments,
        "reason": estimate.reason,
        "definition": one.definition,
        "formula": one.formula,
        "source": one.source,
    }


COLUMNS = (
    "study",
    "annotator",
    "number",
    "label",
    "value",
    "low",
    "high",
    "level",
    "method",
    "resamples",
    "seed",
    "jackknife_low",
    "jackknife_high",
    "random",
    "n_items",
    "n_judgments",
    "reason",
    "simulated_readers",
)


def as_csv(report: Report) -> str:
    """One row a number; ``annotator`` is empty where the number is the study's, else the pseudonym."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    programs = " ".join(report.simulated)
    for row in _csv_rows(report):
        writer.writerow({"study": report.slug, "simulated_readers": programs, **row})
    return out.getvalue()


def _csv_rows(report: Report) -> Iterator[dict[str, Any]]:
    for line in report.lines:
        data = _measure_data(line)
        yield {"number": data["measure"], **{key: data[key] for key in COLUMNS if key in data}}
    for name in ("n_items", "n_judged", "n_options", "n_answers", "n_undecided", "n_broken"):
        reason = report.problem if name == "n_answers" else ""
        yield {"number": name, "value": getattr(report, name), "reason": reason}
    for size, items in sorted(report.histogram.items()):
        yield {"number": f"items_with_{size}_answers", "value": items}
    for each in report.readers:
        yield {
            "annotator": each.pseudonym,
            "number": "accuracy",
            "value": each.accuracy,
            "low": each.low,
            "high": each.high,
            "level": report.level,
            "method": "Wilson score" if each.accuracy is not None else "",
            "n_items": each.n_with_gold,
            "n_judgments": each.n_with_gold,
        }
        for name in ("n_answers", "n_correct", "n_undecided", "n_broken", "median_seconds"):
            yield {"annotator": each.pseudonym, "number": name, "value": getattr(each, name)}


class Format(NamedTuple):
    render: Callable[[Report], str]
    content_type: str
    extension: str


FORMATS = {
    "table": Format(table, "text/plain; charset=utf-8", "txt"),
    "json": Format(json, "application/json", "json"),
    "csv": Format(as_csv, "text/csv; charset=utf-8", "csv"),
    "latex": Format(latex, "application/x-tex; charset=utf-8", "tex"),
}

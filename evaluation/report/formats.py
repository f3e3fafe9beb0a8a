"""A report as text, JSON, CSV or LaTeX. All of them print the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evaluation.report.data import as_csv, json
from evaluation.report.latex import latex
from evaluation.report.plain import table
from evaluation.values.report import Report


def command(report: Report, format: str = "json") -> str:  # noqa: A002 - the name of the option
    """The command line that prints this report again."""
    return f"manage.py report {report.slug} --format {format} --resamples {report.resamples}"


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

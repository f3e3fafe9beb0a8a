"""A report in every format. All of them print the same numbers."""

from __future__ import annotations

from common.tables.formats import formats
from evaluation.report.data import data, records
from evaluation.report.document import document, paper
from evaluation.values.report import Report


def command(report: Report, format: str = "json") -> str:  # noqa: A002 - the name of the option
    """The command line that prints this report again."""
    usual = next(iter(report.weightings), "")
    other = f" --weighting {report.weighting}" if report.weighting != usual else ""
    return f"manage.py report {report.slug} --format {format} --resamples {report.resamples}{other}"


FORMATS = formats(document, data, records, paper)

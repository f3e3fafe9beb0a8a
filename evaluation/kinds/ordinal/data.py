"""What only grades have, as plain values for JSON and as rows for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.kinds.ordinal.grades import Found
from evaluation.metrics.common.intervals import Estimate
from evaluation.metrics.ordinal.annotators import AnnotatorGrades
from evaluation.values.report import Report

OF_READER = ("exact", "within_one", "difference", "absolute_difference")


def grades(report: Report, found: Found) -> dict[str, Any]:
    """The scale, both tables of confusion, and every pair of readers."""
    return {
        "labels": list(found.labels),
        "coincidences": found.report.coincidences.tolist(),
        "gold_confusion": found.report.gold_confusion.tolist(),
        "n_pairs_of_readers": found.report.pairs.n_pairs,
        "pairs_of_readers": [
            {
                "first": report.readers[each.first].pseudonym,
                "second": report.readers[each.second].pseudonym,
                "n_items": each.n_items,
                "same_grade": each.agreement,
                "same_grade_low": each.low,
                "same_grade_high": each.high,
                "quadratic_kappa": _estimate(each.kappa),
            }
            for each in found.report.pairs.pairs
        ],
    }


def reader(each: AnnotatorGrades | None) -> dict[str, Any] | None:
    """A reader against gold, null for whoever gave no grade."""
    return None if each is None else {name: _estimate(getattr(each, name)) for name in OF_READER}


def rows(report: Report, found: Found) -> Iterator[dict[str, Any]]:
    """The same for CSV: ``annotator`` names two readers where a number is theirs together."""
    for each in found.report.annotators:
        who = report.readers[each.annotator].pseudonym
        for name in OF_READER:
            yield {"annotator": who, "number": f"{name}_with_gold", **_cells(getattr(each, name))}
    for pair in found.report.pairs.pairs:
        names = f"{report.readers[pair.first].pseudonym} {report.readers[pair.second].pseudonym}"
        yield {
            "annotator": names,
            "number": "same_grade",
            "value": pair.agreement,
            "low": pair.low,
            "high": pair.high,
            "level": report.level,
            "method": "Wilson score",
            "n_items": pair.n_items,
        }
        yield {"annotator": names, "number": "quadratic_kappa", **_cells(pair.kappa)}
    for gold, row in enumerate(found.report.gold_confusion.tolist()):
        for grade, n in enumerate(row):
            yield {"number": f"gold_{gold}_graded_{grade}", "value": n}
    for one, shares in enumerate(found.report.coincidences.tolist()):
        for other, n in enumerate(shares):
            yield {"number": f"graded_{one}_and_{other}", "value": n}


def _estimate(each: Estimate) -> dict[str, Any]:
    return {"value": each.value, "low": each.low, "high": each.high, "n_items": each.n_items} | {
        "method": each.method,
        "reason": each.reason,
    }


def _cells(each: Estimate) -> dict[str, Any]:
    names = (
        "value",
        "low",
        "high",
        "level",
        "method",
        "resamples",
        "seed",
        "n_items",
        "n_judgments",
        "reason",
    )
    return {name: getattr(each, name) for name in names}
